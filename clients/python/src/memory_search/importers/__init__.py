"""What others keep memories in, read into a memory of ours."""
