"""The framework: how stages are declared, joined and run. It knows no stage."""
