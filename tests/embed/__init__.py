"""Tests of embedders, of the vectors that they make and of what is found by them."""
