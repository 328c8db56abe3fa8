"""The page of reliability says what the records say."""

from reliability.campaign_records import read_records
from reliability.page import PAGE, page


def test_the_page_is_made_of_the_records() -> None:
    written = PAGE.read_text("utf-8")
    assert written == page(read_records()), "run make reliability"


def test_every_campaign_says_what_it_tried() -> None:
    for record in read_records():
        assert record["rows"], record["campaign"]
        assert all(len(row) == len(record["columns"]) for row in record["rows"])
