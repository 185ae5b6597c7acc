"""The MCP host: tools over stdio and streamable HTTP. It knows how to be called, and nothing about retrieval."""
