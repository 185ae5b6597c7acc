"""Stop words by language: the words that carry grammar, not content. They also tell languages apart."""

from __future__ import annotations

_LISTS = {
    "en": """a about after all also am an and any are as at be because been before being between both but by can could
        did do does doing for from had has have having he her here him his how i if in into is it its just me more
        most my no nor not of off on or other our out over own s she should so some such t than that the their them
        then there these they this those through to too under until up very was we were what when where which while
        who whom whose why will with would you your""",
    "de": """aber alle als also am an auch auf aus bei beim bin bis bist da damit das dass dein dem den denn der des
        die dies diese dieser dieses doch dort du durch ein eine einem einen einer eines er es euch für gibt haben hat
        hatte ich ihm ihn ihr ihre im in ist ja jede kann kein keine können man mehr mein mich mir mit muss nach nicht
        noch nur ob oder ohne sehr sein seine sich sie sind so soll über um und uns unser unter viel vom von vor war
        waren warum was weil welche welcher welches wenn wer werden wie wieder wir wird wo worden wurde wurden zu zum
        zur zwischen""",
    "fr": """ai au aux avec c ce ces cet cette chez comme comment d dans de depuis des donc du elle elles en entre est
        et été être eu il ils j je l la le les leur leurs lui m ma mais me mes moi mon même n ne nos notre nous on ont
        ou où par pas peut plus pour pourquoi qu quand que quel quelle quelles quels qui quoi s sa sans se sera ses si
        son sont sous sur t ta te tes toi ton tous tout toute très tu un une vos votre vous y à était""",
    "es": """al algo ante como con contra cual cuando cuál cuáles cuándo cuánto cómo de del desde donde dónde dos
        durante e el ella ellas ellos en entre era eran es esa ese eso esta estaba estado estas este esto estos está
        están fue fueron ha han hasta hay la las le les lo los me mi más muy no nos o otra otro para pero poco por
        porque qué que quien quién se sea ser si sido sin sobre son su sus sí también tiene todo todos tu un una uno y
        ya yo""",
    "it": """a agli ai al alla alle allo anche c che chi ci come con cosa cui d da dagli dai dal dalla dalle dei degli
        del dell della delle dello di dopo dove e ed era erano essere fra gli ha hai hanno ho i il in io l la le lei
        li lo loro lui ma mi mia mio ne nei nel nell nella nelle non nostro o ogni per perché però più qual quale
        quali quando quanto quella quello questa queste questi questo se sei senza si sia sono su sua sue sul sulla
        suo suoi tra tu tutti tutto un una uno vi è""",
    "pt": """a ao aos aquela aquele as até com como da das de dela dele deles depois do dos e ela elas ele eles em
        entre era essa esse esta estava este está estão eu foi foram há isso isto já lhe mais mas me mesmo meu minha
        muito na nas nem no nos nossa nosso não o onde os ou para pela pelas pelo pelos por porque qual quais quando
        quanto que quem se sem ser seu seus sobre sua suas são só também te tem tinha toda todo todos têm um uma você
        vocês à às é""",
    "nl": """aan al alle als bij dan dat de den der deze die dit doen door dus een en er geen had heb hebben heeft hem
        het hier hij hoe hun ik in is ja je jij kan kon kunnen maar me meer men met mijn mij moet na naar niet nog nu
        of om onder ons ook op over reeds te tegen toch toen tot uit uw van veel voor waar waarom wanneer want waren
        was wat we wel welke werd wie wij wordt worden ze zelf zich zij zijn zo zonder zou""",
    "pl": """a aby albo ale bardzo bez bo był była było były być ci co czy dla do gdy gdzie go i ich ile im innych ja
        jak jaka jaki jakie je jednak jego jej jest jestem jeszcze już kiedy kto która które którego której który
        których którzy lub ma mi mnie może można na nad nam nas nie niż o od oraz po pod podczas przed przez przy są
        się sobie ta tak także tam te tego tej ten to tu tych tylko tym u w we więc wszystko z za że ze""",
    "sv": """alla att av bara blev bli blir både den denna deras dess det detta dig din du där då efter ej eller en
        ett från får för ha hade han hans har hon hos hur här i icke inte jag kan man med mellan men mig min mot
        mycket ni nu när någon något och om oss på sedan sig sin sina ska skulle som så till under upp ut utan vad var
        varför vem vid vilka vilken vilket vara varit vi är över""",
    "da": """af alle at blev blive bliver da de dem den denne der deres det dette dig din du efter eller en end er et
        for fra få gør ham han hans har havde hende her hun hvad hvem hver hvilken hvilket hvis hvor hvordan hvorfor
        hvornår i ikke ind jeg kan kunne man mange med meget men mig min mod når nogen noget nu og også om op os over
        på selv sig sin skal skulle som til ud under var ved vi vil ville være været""",
    "tr": """acaba ama ancak aslında bana bazı belki ben beni biz bir biri birkaç bu bunu bunun böyle da daha de defa
        değil diye en gibi göre hangi hangisi hem hep her hiç ile ise için kadar kez ki kim mi mu mü mı nasıl ne neden
        nerede nedir niçin o olan olarak oldu olduğu olur onlar onu onun sanki siz sonra tüm var ve veya ya yani yok
        çok çünkü şey şu""",
    "cs": """a aby ale ani asi až bez bude by byl byla bylo být co další do ho i jak jaká jaké jaký je jeho její
        jejich jen ještě již jsem jsme jsou k kde kdo kdy kdyby která které který kteří ma mezi mi mu má může na nad
        nebo není než o od po pod podle pro proč protože před při s se si své ta tak také tato ten tento to tom tu ty
        u už v ve více však z za ze že""",
    "ru": """а без более бы был была были было быть в вам вас ведь весь во вот все всё вы где да даже для до его ее её
        если есть ещё еще же за здесь и из или им их к как какая какие какой когда кто ли между меня мне можно мой на
        над не него нет ни но о об он она они оно от по под при с сколько со так также такой там то того тоже только
        том тут ты у уже чего чем что чтобы эта эти это этот я""",
    "uk": """а або але без би був була були було бути в вас ви від він вона вони все для до є же з за зі і із й його
        її їх як яка які який якщо коли кому ли між мене мені може на над не немає ні о об перед по під при про разом
        з та так також там те тих то того тому ти тут у це цей ця чи чому що щоб я""",
}  # fmt: skip

STOP_WORDS: dict[str, frozenset[str]] = {language: frozenset(listed.split()) for language, listed in _LISTS.items()}
"""Language code (ISO 639-1) to its stop words, case-folded. The order of the languages decides ties."""
