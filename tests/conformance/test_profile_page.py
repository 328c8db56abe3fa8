"""The page of profiles says what they declare."""

from conformance.profile_page import PAGE, page


def test_the_page_is_as_the_profiles_are_now() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run profile_page.py again"
