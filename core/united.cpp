// Finding each document of some lists once, and putting fused rankings in order.
#include "united.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <charconv>
#include <cmath>
#include <memory>
#include <numeric>
#include <utility>

#include "ids.hpp"
#include "shared_queries.hpp"

namespace rankmark {
namespace {

// Brings together the lists of one query after another, keeping its memory; one for each thread.
class Uniter {
 public:
  struct Documents {
    std::vector<std::string_view> ids;
    std::vector<std::int32_t> at;  // the row of each in each list: those of the first list, of the second, and so on
  };

  Documents unite(std::span<const Rankings::List> lists) {
    std::size_t rows = 0;
    for (const Rankings::List& list : lists) rows += list.count;
    slots_.start(rows);
    found_.clear();
    numbers_.clear();
    for (const Rankings::List& list : lists) {
      for (std::size_t row = 0; row < list.count; ++row) {
        const RankedDocument& document = list[row];
        const std::string_view id = list.id(row);
        std::uint32_t& slot = slots_.at(document.hash, [&](std::uint32_t other) {
          return found_[other].hash == document.hash && found_[other].id == id;
        });
        if (slot == HashSlots::kFree) {
          slot = static_cast<std::uint32_t>(found_.size());
          found_.push_back({document.hash, id});
        }
        numbers_.push_back(slot);
      }
    }
    Documents documents;
    documents.ids.reserve(found_.size());
    for (const Found& one : found_) documents.ids.push_back(one.id);
    documents.at.assign(lists.size() * found_.size(), -1);
    std::size_t next = 0;
    for (std::size_t run = 0; run < lists.size(); ++run) {
      std::int32_t* const of_run = documents.at.data() + run * found_.size();
      for (std::size_t row = 0; row < lists[run].count; ++row)
        of_run[numbers_[next++]] = static_cast<std::int32_t>(row);
    }
    return documents;
  }

 private:
  struct Found {
    std::uint64_t hash;
    std::string_view id;
  };

  HashSlots slots_;
  std::vector<Found> found_;
  std::vector<std::uint32_t> numbers_;  // of the document in each row of the lists
};

}  // namespace

United::United(std::span<const Rankings* const> runs, std::span<const std::int64_t> queries, int threads,
               const Poll& poll)
    : runs_(runs.size()) {
  const std::size_t count = runs_ == 0 ? 0 : queries.size() / runs_;
  lists_.resize(count * runs_);
  query_ids_.resize(count);
  for (std::size_t run = 0; run < runs_; ++run) {
    for (std::size_t query = 0; query < count; ++query) {
      const std::int64_t number = queries[run * count + query];
      if (number < 0) continue;
      const auto known = static_cast<std::uint32_t>(number);
      lists_[query * runs_ + run] = runs[run]->list(known);
      if (query_ids_[query].empty()) query_ids_[query] = runs[run]->queries()[known];
    }
  }
  std::vector<Uniter::Documents> found(count);
  share_out_queries(static_cast<std::uint32_t>(count), threads, poll, [&] {
    return [&, uniter = Uniter()](std::uint32_t query) mutable {
      found[query] = uniter.unite({lists_.data() + query * runs_, runs_});
    };
  });
  starts_.reserve(count + 1);
  for (const Uniter::Documents& of_query : found) {
    starts_.push_back(starts_.back() + static_cast<std::int64_t>(of_query.ids.size()));
  }
  at_.resize(runs_ * documents());
  ids_.reserve(documents());
  for (std::size_t query = 0; query < count; ++query) {
    ids_.insert(ids_.end(), found[query].ids.begin(), found[query].ids.end());
    const auto size = static_cast<std::ptrdiff_t>(found[query].ids.size());
    for (std::size_t run = 0; run < runs_; ++run) {
      std::copy_n(found[query].at.begin() + static_cast<std::ptrdiff_t>(run) * size, size,
                  at_.begin() + static_cast<std::ptrdiff_t>(run * documents()) + starts_[query]);
    }
    found[query] = {};
  }
}

ListColumns columns_of_run(const United& united, std::size_t run) {
  ListColumns columns;
  columns.starts.push_back(0);
  for (std::size_t query = 0; query < united.queries(); ++query) {
    columns.starts.push_back(columns.starts.back() + static_cast<std::int64_t>(united.list(run, query).count));
  }
  const auto rows = static_cast<std::size_t>(columns.starts.back());
  columns.scores.resize(rows);
  columns.first.resize(rows);
  columns.last.resize(rows);
  std::size_t next = 0;
  for (std::size_t query = 0; query < united.queries(); ++query) {
    const Rankings::List& list = united.list(run, query);
    for (std::size_t row = 0; row < list.count; ++row, ++next) {
      columns.scores[next] = list[row].score;
      columns.first[next] = list[row].tie_first;
      columns.last[next] = list[row].tie_last;
    }
  }
  return columns;
}

namespace {

// Sorts the documents of a query by score, highest first, and equal scores by their numbers. Radix sort by the first 32
// bits needs no comparisons, of which the processor would mispredict half; few scores share these and differ.
class ScoreSorter {
 public:
  struct Scored {
    double score;
    std::uint32_t document;  // of its query, from 0
  };

  std::span<const Scored> sort(std::span<const double> scores) {
    keys_.resize(scores.size());
    for (std::size_t i = 0; i < scores.size(); ++i) keys_[i] = {falling_key(scores[i]), static_cast<std::uint32_t>(i)};
    for (int shift = 0; shift < 33; shift += kBits) pass(shift);
    sorted_.resize(scores.size());
    for (std::size_t i = 0; i < scores.size(); ++i) sorted_[i] = {scores[keys_[i].document], keys_[i].document};
    for (std::size_t first = 0, last; first < keys_.size(); first = last) {
      bool differs = false;
      for (last = first + 1; last < keys_.size() && keys_[last].bits == keys_[first].bits; ++last) {
        differs = differs || sorted_[last].score != sorted_[first].score;
      }
      if (differs) std::sort(sorted_.begin() + at(first), sorted_.begin() + at(last), comes_before);
    }
    return sorted_;
  }

 private:
  static constexpr int kBits = 11;

  struct Key {
    std::uint32_t bits, document;
  };

  static std::ptrdiff_t at(std::size_t row) noexcept { return static_cast<std::ptrdiff_t>(row); }
  static bool comes_before(const Scored& a, const Scored& b) noexcept {
    return a.score > b.score || (a.score == b.score && a.document < b.document);
  }
  // The first bits of a number that falls where the score rises; -0 is 0.
  static std::uint32_t falling_key(double score) noexcept {
    const auto bits = static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(score + 0.0) >> 32);
    return (bits >> 31) != 0 ? bits : ~(bits | 0x80000000u);
  }

  void pass(int shift) {
    constexpr std::uint32_t kMask = (1u << kBits) - 1;
    std::array<std::uint32_t, kMask + 1> ends{};
    for (const Key& key : keys_) ++ends[key.bits >> shift & kMask];
    std::uint32_t begin = 0;
    for (std::uint32_t& end : ends) begin += std::exchange(end, begin);
    moved_.resize(keys_.size());
    for (const Key& key : keys_) moved_[ends[key.bits >> shift & kMask]++] = key;
    keys_.swap(moved_);
  }

  std::vector<Key> keys_, moved_;
  std::vector<Scored> sorted_;
};

}  // namespace

std::vector<std::int64_t> order_of(const United& united, std::span<const double> scores, Ties ties, int threads,
                                   const Poll& poll) {
  using Scored = ScoreSorter::Scored;
  std::vector<std::int64_t> order(united.documents());
  share_out_queries(static_cast<std::uint32_t>(united.queries()), threads, poll, [&] {
    return [&, sorter = ScoreSorter(), tied = std::vector<Scored>()](std::uint32_t query) mutable {
      const auto begin = static_cast<std::size_t>(united.starts()[query]),
                 end = static_cast<std::size_t>(united.starts()[query + std::size_t{1}]);
      const auto ranked = sorter.sort(scores.subspan(begin, end - begin));
      const auto number = [begin](const Scored& one) { return static_cast<std::int64_t>(begin + one.document); };
      std::transform(ranked.begin(), ranked.end(), order.begin() + static_cast<std::ptrdiff_t>(begin), number);
      if (ties == Ties::input) return;
      const auto id = [&](const Scored& one) { return united.id(begin + one.document); };
      for (std::size_t first = 0, last; first < ranked.size(); first = last) {
        for (last = first + 1; last < ranked.size() && ranked[last].score == ranked[first].score;) ++last;
        if (last - first == 1) continue;
        tied.assign(ranked.begin() + static_cast<std::ptrdiff_t>(first),
                    ranked.begin() + static_cast<std::ptrdiff_t>(last));
        std::sort(tied.begin(), tied.end(), [&](const Scored& a, const Scored& b) {
          return ties == Ties::docid_asc ? id(a) < id(b) : id(a) > id(b);
        });
        std::transform(tied.begin(), tied.end(), order.begin() + static_cast<std::ptrdiff_t>(begin + first), number);
      }
    };
  });
  return order;
}

namespace {

bool can_be_column(std::string_view text) noexcept {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\0'; };
  return !text.empty() && std::none_of(text.begin(), text.end(), is_blank);
}

constexpr std::size_t kNumberLength = 32;

// Writes the shortest text that is read as the same number, whole numbers without an exponent, and returns its end.
char* write_number(double number, char* to) {
  const bool is_whole =
      std::trunc(number) == number && std::abs(number) < 1e15 && (number != 0 || !std::signbit(number));
  return is_whole ? std::to_chars(to, to + kNumberLength, static_cast<std::int64_t>(number)).ptr
                  : std::to_chars(to, to + kNumberLength, number).ptr;
}

// TextColumn as Arrow has them: bytes and 64-bit offsets into them.
struct TextColumn {
  std::vector<std::int64_t> offsets{0};
  std::string bytes;

  void add(std::string_view text) {
    bytes.append(text);
    offsets.push_back(static_cast<std::int64_t>(bytes.size()));
  }
  Piece piece() const {
    Piece piece;
    piece.length = static_cast<std::int64_t>(offsets.size()) - 1;
    piece.values = offsets.data();
    piece.text = bytes.data();
    piece.storage = Storage::text64;
    return piece;
  }
};

// Where the rows of each query begin among documents that stand query by query: (queries + 1,).
std::vector<std::size_t> begins_of(const United& united, std::span<const std::int64_t> documents) {
  std::vector<std::size_t> begins{0};
  for (std::size_t query = 0; query < united.queries(); ++query) {
    const auto end = std::lower_bound(documents.begin() + static_cast<std::ptrdiff_t>(begins.back()), documents.end(),
                                      united.starts()[query + 1],
                                      [&](std::int64_t document, std::int64_t start) { return document < start; });
    begins.push_back(static_cast<std::size_t>(end - documents.begin()));
  }
  return begins;
}

}  // namespace

std::optional<std::vector<std::string>> lines_of(const United& united, std::span<const std::int64_t> documents,
                                                 std::span<const double> scores, std::string_view tag, int threads,
                                                 const Poll& poll) {
  if (!can_be_column(tag)) return std::nullopt;
  const std::vector<std::size_t> begins = begins_of(united, documents);
  std::vector<std::string> texts(united.queries());
  std::atomic<bool> is_written{true};
  share_out_queries(static_cast<std::uint32_t>(united.queries()), threads, poll, [&] {
    // Lines are written into memory that is kept, and then taken in one piece.
    return [&, buffer = std::vector<char>()](std::uint32_t query) mutable {
      const std::string& query_id = united.query_id(query);
      if (!can_be_column(query_id) || query_id.starts_with('#') || query_id.starts_with("\xef\xbb\xbf")) {
        is_written = false;
      }
      const auto copied = [](std::string_view text, char* to) { return std::copy(text.begin(), text.end(), to); };
      std::size_t size = 0;
      for (std::size_t row = begins[query]; row < begins[query + std::size_t{1}] && is_written; ++row) {
        const auto document = static_cast<std::size_t>(documents[row]);
        united.expect_id(documents, row);
        const std::string_view id = united.id(document);
        if (!can_be_column(id)) is_written = false;
        const std::size_t most = query_id.size() + id.size() + tag.size() + 2 * kNumberLength + 8;  // of blanks
        if (buffer.size() < size + most) buffer.resize(2 * (size + most));
        char* to = copied(" Q0 ", copied(query_id, buffer.data() + size));
        *(to = copied(id, to))++ = ' ';
        *(to = std::to_chars(to, to + kNumberLength, row - begins[query] + 1).ptr)++ = ' ';
        *(to = write_number(scores[document], to))++ = ' ';
        *(to = copied(tag, to))++ = '\n';
        size = static_cast<std::size_t>(to - buffer.data());
      }
      texts[query].assign(buffer.data(), size);
    };
  });
  if (!is_written) return std::nullopt;
  return texts;
}

Table table_of(const United& united, std::span<const std::int64_t> documents, std::span<const double> scores,
               int threads, const Poll& poll) {
  // Each number is written once, so that none is set to 0 before.
  struct Columns {
    explicit Columns(std::size_t rows)
        : offsets(std::make_unique_for_overwrite<std::int64_t[]>(rows + 1)),
          query(std::make_unique_for_overwrite<std::int32_t[]>(rows)),
          score(std::make_unique_for_overwrite<double[]>(rows)) {}

    TextColumn queries;
    std::unique_ptr<std::int64_t[]> offsets;  // of the ids of documents
    std::unique_ptr<char[]> ids;
    std::unique_ptr<std::int32_t[]> query;
    std::unique_ptr<double[]> score;
  };
  const auto columns = std::make_shared<Columns>(documents.size());
  for (std::size_t query = 0; query < united.queries(); ++query) columns->queries.add(united.query_id(query));
  const std::vector<std::size_t> begins = begins_of(united, documents);
  const auto queries = static_cast<std::uint32_t>(united.queries());
  // First how long the ids of each query are together.
  std::vector<std::int64_t> places(united.queries() + 1);
  share_out_queries(queries, threads, poll, [&] {
    return [&](std::uint32_t query) {
      std::size_t size = 0;
      for (std::size_t row = begins[query]; row < begins[query + std::size_t{1}]; ++row) {
        size += united.id(static_cast<std::size_t>(documents[row])).size();
      }
      places[query + std::size_t{1}] = static_cast<std::int64_t>(size);
    };
  });
  std::partial_sum(places.begin(), places.end(), places.begin());
  columns->ids = std::make_unique_for_overwrite<char[]>(static_cast<std::size_t>(places.back()));
  columns->offsets[0] = 0;
  share_out_queries(queries, threads, poll, [&] {
    return [&](std::uint32_t query) {
      char* to = columns->ids.get() + places[query];
      for (std::size_t row = begins[query]; row < begins[query + std::size_t{1}]; ++row) {
        const auto document = static_cast<std::size_t>(documents[row]);
        united.expect_id(documents, row);
        const std::string_view id = united.id(document);
        to = std::copy(id.begin(), id.end(), to);
        columns->offsets[row + 1] = to - columns->ids.get();
        columns->query[row] = static_cast<std::int32_t>(query);
        columns->score[row] = scores[document];
      }
    };
  });
  Table table;
  table.rows = static_cast<std::int64_t>(documents.size());
  table.owners.push_back(columns);
  Piece numbers;
  numbers.length = table.rows;
  numbers.values = columns->query.get();
  numbers.storage = Storage::int32;
  numbers.dictionary = std::make_shared<const Piece>(columns->queries.piece());
  Piece ids;
  ids.length = table.rows;
  ids.values = columns->offsets.get();
  ids.text = columns->ids.get();
  ids.storage = Storage::text64;
  Piece score;
  score.length = table.rows;
  score.values = columns->score.get();
  score.storage = Storage::float64;
  table.columns.push_back({"query_id", "U", {}});
  table.columns.push_back({"doc_id", "U", {}});
  table.columns.push_back({"score", "g", {}});
  if (table.rows > 0) {
    table.columns[0].pieces.push_back(std::move(numbers));
    table.columns[1].pieces.push_back(std::move(ids));
    table.columns[2].pieces.push_back(std::move(score));
  }
  return table;
}

}  // namespace rankmark
