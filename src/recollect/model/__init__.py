"""Values and their Markdown form; pure."""
