"""What is written and read: tables, weights and files, and what is said when that fails."""
