"""Questions to the spec: is this answer allowed, why does that job wait, is this state sound."""
