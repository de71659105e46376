"""Text tools; pure, importing nothing of ours."""
