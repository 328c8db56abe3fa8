// Judgments and runs of text: what they hold, how the runs are ranked, and whole rankings.
#include <optional>
#include <string>
#include <string_view>

#include "plain_ranking.hpp"
#include "plain_text.hpp"
#include "text_ways.hpp"

using fuzz::Told;

namespace {

struct Plain {
  fuzz::PlainText text;
  fuzz::PlainQueries queries;
  std::int64_t extra = 0, interleaved = 0;
};

// Scores as they order a run: without any, the first document is the best.
Plain read_plainly(std::string_view text, const rankmark::TextLayout& layout) {
  Plain plain;
  plain.text = fuzz::read_plainly(text, layout, layout.order(), false);
  std::string before;
  std::map<std::string, bool> back;
  for (const fuzz::PlainRow& row : plain.text.rows) {
    const auto& of_query = plain.queries.documents[row.query];
    double number = -static_cast<double>(of_query.size());
    if (layout.labels && !layout.number) number = 1;
    if (layout.order()) number = layout.orders_by_rank() ? -row.number : row.number;
    if (of_query.empty()) {
      plain.queries.documents.erase(row.query);
    } else if (row.query != before) {
      back[row.query] = true;
    }
    plain.queries.add(row.query, row.document, number);
    plain.extra += row.extra ? 1 : 0;
    before = row.query;
  }
  plain.interleaved = static_cast<std::int64_t>(back.size());
  return plain;
}

// Reads in every way; gives what the first told.
template <class Use>
std::string read_in_all_ways(std::string_view text, const rankmark::TextLayout& layout,
                             const std::vector<fuzz::Way>& ways, std::string_view what, const Use& use) {
  const std::string first = fuzz::read_in_way(text, layout, ways.front(), use);
  for (const fuzz::Way& way : ways) {
    fuzz::expect_same(first, fuzz::read_in_way(text, layout, way, use), what);
  }
  return first;
}

// Where there is more than one fault, any of them may be told, and always the same. False where there was one.
bool is_read(const std::string& told, const Plain& plain, bool duplicates_are_faults) {
  const bool faulty = !plain.text.faulty.empty();
  const bool repeated = duplicates_are_faults && plain.queries.has_duplicates();
  if (fuzz::is_fault_of_line(told)) {
    fuzz::expect(faulty, "a line is refused that can be read: " + told);
    Told line;
    line << "line" << plain.text.faulty.front();
    fuzz::expect(told.starts_with(std::move(line).text()), "another line is refused: " + told);
  } else if (fuzz::is_duplicate(told)) {
    fuzz::expect(repeated, "a document that stands once is said to stand twice: " + told);
  } else {
    fuzz::expect(!faulty && !repeated, "what should be refused is read");
    return true;
  }
  return false;
}

void check_judgments(std::string_view text, const rankmark::TextLayout& layout, const std::vector<fuzz::Way>& ways) {
  const std::string found = read_in_all_ways(
      text, layout, ways, "read in another way, judgments differ",
      [](const auto& file, const auto& asked, const auto& options, Told& told) {
        const rankmark::QrelsRead read = rankmark::read_qrels(file, asked, options);
        const rankmark::Judgments& judgments = read.judgments;
        for (std::uint32_t query = 0; query < judgments.queries(); ++query) {
          told << judgments.query_id(query);
          fuzz::expect(judgments.find_query(judgments.query_id(query)) == query, "a query is not found");
          for (auto row = judgments.starts()[query]; row < judgments.starts()[query + 1]; ++row) {
            told << judgments.document_id(static_cast<std::uint32_t>(row))
                 << judgments.label(static_cast<std::uint32_t>(row));
          }
        }
        told << read.counts.rows << read.counts.extra_columns;
      });
  const Plain plain = read_plainly(text, layout);
  if (!is_read(found, plain, true)) return;
  Told expected;
  for (const std::string& query : plain.queries.ids) {
    expected << query;
    for (const auto& [id, label] : plain.queries.documents.at(query)) expected << id << label;
  }
  expected << plain.text.rows.size() << plain.extra;
  fuzz::expect_same(std::move(expected).text(), found, "a plain reader finds other judgments");
}

void check_run(std::string_view text, const rankmark::TextLayout& layout, const std::vector<fuzz::Way>& ways,
               rankmark::RankingOptions options, std::uint32_t salt) {
  options.single = layout.single;
  if (layout.by_rank || !layout.number) options = options.of_ranks();
  const Plain plain = read_plainly(text, layout);
  const fuzz::PlainQueries judged = fuzz::judged_of(plain.queries, salt),
                           seen = salt % 3 == 0 ? fuzz::judged_of(plain.queries, salt + 1) : fuzz::PlainQueries();
  const rankmark::Judgments judgments = judged.judgments(), documents_seen = seen.judgments();
  if (salt % 3 == 0) options.seen = &documents_seen;
  const std::string found = read_in_all_ways(text, layout, ways, "read in another way, a run differs",
                                             [&](const auto& file, const auto& asked, const auto& reading, Told& told) {
                                               const rankmark::AlignedRun run =
                                                   rankmark::read_run(file, asked, judgments, options, reading);
                                               fuzz::tell(run, told);
                                               told << run.rows << run.extra_columns << run.interleaved;
                                             });
  if (!is_read(found, plain, options.duplicates == rankmark::Duplicates::error)) return;
  Told counts;
  counts << plain.text.rows.size() << plain.extra << plain.interleaved;
  fuzz::expect_same(fuzz::align_plainly(plain.queries, judged, seen, options) + std::move(counts).text(), found,
                    "a plain reader ranks otherwise");
}

void check_rankings(std::string_view text, const rankmark::TextLayout& layout, const std::vector<fuzz::Way>& ways,
                    const rankmark::ListOptions& list) {
  const std::string found =
      read_in_all_ways(text, layout, ways, "read in another way, rankings differ",
                       [&](const auto& file, const auto& asked, const auto& options, Told& told) {
                         const rankmark::RankingsRead read = rankmark::read_rankings(file, asked, list, options);
                         const rankmark::Rankings& rankings = read.rankings;
                         for (std::uint32_t query = 0; query < rankings.queries().size(); ++query) {
                           const rankmark::Rankings::List& of = rankings.list(query);
                           told << rankings.queries()[query] << of.counts.tied;
                           for (std::size_t row = 0; row < of.count; ++row)
                             told << of.id(row) << of[row].tie_first << of[row].tie_last;
                         }
                         told << read.counts.rows << read.counts.extra_columns;
                       });
  const Plain plain = read_plainly(text, layout);
  if (!is_read(found, plain, true)) return;
  Told expected;
  for (const std::string& query : plain.queries.ids) {
    std::vector<fuzz::PlainDocument> documents = plain.queries.documents.at(query);
    const rankmark::Ties ties = list.broken.value_or(rankmark::Ties::input);
    std::stable_sort(documents.begin(), documents.end(),
                     [&](const auto& a, const auto& b) { return fuzz::comes_before(a, b, ties); });
    Told rows;
    std::int64_t tied = 0;
    for (std::size_t place = 0; place < documents.size(); ++place) {
      const auto same = [&](const auto& one) { return one.score == documents[place].score; };
      const auto first = std::find_if(documents.begin(), documents.end(), same) - documents.begin();
      const auto count = std::count_if(documents.begin(), documents.end(), same);
      const std::int64_t rank = static_cast<std::int64_t>(place) + 1;
      if ((list.broken ? rank : first + 1) > list.deepest) break;
      tied += count > 1 ? 1 : 0;
      rows << documents[place].id << (list.broken ? rank : first + 1) << (list.broken ? rank : first + count);
    }
    expected << query << tied;
    expected.append(std::move(rows).text());
  }
  expected << plain.text.rows.size() << plain.extra;
  fuzz::expect_same(std::move(expected).text(), found, "a plain reader finds other rankings");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const std::uint8_t what = input.byte();
  const bool labels = what % 4 == 0;
  rankmark::TextLayout layout = fuzz::layout_of(input, labels);
  const std::uint32_t salt = input.byte();
  const rankmark::RankingOptions ranking = fuzz::ranking_options_of(input);
  const std::vector<fuzz::Way> ways = fuzz::ways_of(input);
  const std::string_view text = input.rest();
  if (!text.empty()) fuzz::end_header(layout, text);
  if (labels) {
    check_judgments(text, layout, ways);
  } else if (what % 4 == 1) {
    rankmark::ListOptions list;
    if (salt % 4 > 0) list.broken = static_cast<rankmark::Ties>(salt % 4 - 1);
    list.deepest = ranking.depth;
    check_rankings(text, layout, ways, list);
  } else {
    check_run(text, layout, ways, ranking, salt);
  }
  return 0;
}
