// Rows of text as they stand: strictly, and leniently as `check` reads them.
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "plain_text.hpp"
#include "text_ways.hpp"

using fuzz::Told;

namespace {

void tell(const rankmark::RowsRead& read, Told& told) {
  for (std::size_t row = 0; row < read.number.size(); ++row) {
    told << read.queries[read.query_codes[row]] << read.documents[read.doc_codes[row]] << read.number[row];
    if (!read.rank.empty()) told << read.rank[row];
    told << read.line[row];
  }
  told << "extra" << read.counts.extra_columns;
  told.all(read.extra_lines);
  told << "rows" << read.counts.rows << "faulty" << read.faulty;
}

std::string read(std::string_view text, const rankmark::TextLayout& layout, const fuzz::Way& way, bool lenient,
                 bool with_words, std::optional<std::string_view> wanted = std::nullopt) {
  std::unordered_set<std::string_view> queries;
  if (wanted) queries.insert(*wanted);
  return fuzz::read_in_way(
      text, layout, way, [&](const auto& file, const auto& asked, const auto& options, Told& told) {
        const rankmark::RowsRead rows = rankmark::read_rows(file, asked, lenient, options, wanted ? &queries : nullptr);
        tell(rows, told);
        for (const auto& fault : rows.faults) {
          told << fault.line;
          if (with_words) told << fault.message.found << fault.message.remedy;
        }
      });
}

// What a plain reader makes of the same text; of one query alone where it is wanted.
std::string read_plainly(std::string_view text, const rankmark::TextLayout& layout, bool lenient) {
  const fuzz::PlainText plain = fuzz::read_plainly(text, layout, layout.number, lenient);
  Told told;
  if (!lenient && !plain.faulty.empty()) {
    told << "line" << plain.faulty.front();
    return std::move(told).text();
  }
  std::vector<std::int64_t> extra;
  std::int64_t extra_rows = 0;
  for (const fuzz::PlainRow& row : plain.rows) {
    told << row.query << row.document << row.number;
    if (layout.rank) told << row.rank;
    told << row.line;
    if (row.extra && ++extra_rows <= 100) extra.push_back(row.line);
  }
  told << "extra" << extra_rows;
  told.all(extra);
  told << "rows" << plain.rows.size() << "faulty" << plain.faulty.size();
  for (std::size_t i = 0; i < std::min<std::size_t>(plain.faulty.size(), 100); ++i) told << plain.faulty[i];
  return std::move(told).text();
}

void check_against_plain(std::string_view text, const rankmark::TextLayout& layout, const fuzz::Way& way,
                         bool lenient) {
  const std::string expected = read_plainly(text, layout, lenient);
  std::string found = read(text, layout, way, lenient, false);
  if (fuzz::is_fault_of_line(expected)) found.resize(std::min(found.size(), expected.size()));
  fuzz::expect_same(expected, found,
                    lenient ? "a plain lenient reader reads otherwise" : "a plain reader reads otherwise");
}

// The lines on which the document of some row stands for its query.
void check_lines_of(std::string_view text, const rankmark::TextLayout& layout, std::size_t chosen) {
  const fuzz::PlainText plain = fuzz::read_plainly(text, layout, std::nullopt, true);
  if (!plain.faulty.empty() || plain.rows.empty()) return;
  const fuzz::PlainRow& wanted = plain.rows[chosen % plain.rows.size()];
  Told expected, found;
  int left = 2;
  for (const fuzz::PlainRow& row : plain.rows) {
    if (row.query == wanted.query && row.document == wanted.document && left-- > 0) expected << row.line;
  }
  const rankmark::File file(fuzz::descriptor_of(text));
  found.all(rankmark::lines_of(file, layout, wanted.query, wanted.document, {}));
  expected.all(std::vector<std::int64_t>{});
  fuzz::expect_same(std::move(expected).text(), std::move(found).text(), "other lines of a document");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const bool labels = input.flag();
  rankmark::TextLayout layout = fuzz::layout_of(input, labels);
  const std::size_t chosen = input.byte();
  const std::vector<fuzz::Way> ways = fuzz::ways_of(input);
  const std::string_view text = input.rest();
  if (!text.empty()) fuzz::end_header(layout, text);
  for (const bool lenient : {false, true}) {
    check_against_plain(text, layout, ways[0], lenient);
    const std::string first = read(text, layout, ways[0], lenient, true);
    for (const fuzz::Way& way : ways) {
      fuzz::expect_same(first, read(text, layout, way, lenient, true), "read in another way, rows differ");
    }
    // One query alone.
    const fuzz::PlainText plain = fuzz::read_plainly(text, layout, layout.number, true);
    if (plain.rows.empty()) continue;
    const std::string query = plain.rows[chosen % plain.rows.size()].query;
    const std::string one = read(text, layout, ways[0], lenient, true, query);
    fuzz::expect_same(one, read(text, layout, ways[1 + chosen % (ways.size() - 1)], lenient, true, query),
                      "read in another way, rows of one query differ");
  }
  check_lines_of(text, layout, chosen);
  return 0;
}
