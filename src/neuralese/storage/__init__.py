"""Reading and writing: tables, weights and files, and the errors raised when that fails."""
