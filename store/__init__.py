"""The only code that knows SQL: tables, database, ledger, cases, studies."""
