"""What the workflow needs and no scientist does."""
