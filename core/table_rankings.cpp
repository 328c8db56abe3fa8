// A table's rows gathered query by query, each query ranked by one of several threads.
#include "table_rankings.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "parallel.hpp"
#include "shared_queries.hpp"
#include "table_values.hpp"

namespace rankmark {
namespace {

constexpr std::int64_t kRowsAtOnce = std::int64_t{1} << 16;  // rows that are looked at in one go

// Of ranks the lowest is the best.
void negate(std::span<double> ranks) {
  for (double& rank : ranks) rank = -rank;
}

void append_labels(const NumberColumn& column, std::int64_t begin, std::int64_t end, std::vector<double>& labels) {
  append_numbers(column, begin, end, labels);
  const auto infinite = std::find_if(labels.begin(), labels.end(), [](double label) { return std::isinf(label); });
  if (infinite == labels.end()) return;
  throw TableFault(column.number(), begin + (infinite - labels.begin()), {"is infinite", "need a finite label"});
}

// Whole numbers that have a code, and so need not be written out again to be looked up.
class WholeNumbers {
 public:
  // The code of a number; that of a new one is what `add()` gives.
  template <class Add>
  std::uint32_t code(std::int64_t number, const Add& add) {
    if (!coded_.empty() && coded_[last_].number == number) return coded_[last_].code;
    const auto is = [&](std::uint32_t place) { return coded_[place].number == number; };
    std::uint32_t& slot = slots_.at(hash_id(number), is);
    last_ = slot;
    if (slot == HashSlots::kFree) {
      last_ = slot = static_cast<std::uint32_t>(coded_.size());
      coded_.push_back({number, add()});
      if (!slots_.has_room(coded_.size())) grow();
    }
    return coded_[last_].code;
  }

 private:
  struct Coded {
    std::int64_t number;
    std::uint32_t code;
  };

  void grow() {
    slots_.start(2 * coded_.size());
    for (std::uint32_t place = 0; place < coded_.size(); ++place) {
      slots_.at(hash_id(coded_[place].number), [](std::uint32_t) { return false; }) = place;
    }
  }

  HashSlots slots_ = [] {
    HashSlots slots;
    slots.start(0);
    return slots;
  }();
  std::vector<Coded> coded_;
  std::uint32_t last_ = 0;
};

// Numbers the ids of a column, one lot of rows after another.
class IdNumbering {
 public:
  IdNumbering(const IdColumn& column, Numbered& numbered) : column_(column), numbered_(numbered) {
    const auto [low, high] = range_of(column);
    if (low > high || static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) >= most_apart()) return;
    low_ = low;
    code_of_whole_.assign(static_cast<std::size_t>(high - low) + 1, IdTable::kAbsent);
  }

  void append(std::int64_t begin, std::int64_t end) {
    with_pieces(column_, begin, end, [&](const Piece& piece, std::int64_t from, std::int64_t to) {
      const std::int64_t first = piece.first - piece.offset;
      if (piece.dictionary && piece.dictionary->length <= piece.length) return append_places(piece, from, to);
      with_meanings(piece, [&](const auto& values) {
        using Value = std::decay_t<decltype(values[0])>;
        if constexpr (std::is_integral_v<Value>) {
          const std::size_t before = numbered_.codes.size();
          numbered_.codes.resize(before + static_cast<std::size_t>(to - from));
          std::uint32_t* out = numbered_.codes.data() + before;
          for (std::int64_t i = from; i < to; ++i) *out++ = code_of(values[i], i + first);
        } else {
          ids_.start();
          ids_.append(column_, from + first, to + first);
          for (const std::string_view id : ids_.texts()) numbered_.codes.push_back(numbered_.ids.find_or_add(id));
        }
      });
    });
  }

 private:
  std::uint32_t add(std::int64_t row) { return numbered_.ids.find_or_add(ids_.only(column_, row)); }

  // A table of all numbers in between is no larger than two columns.
  std::uint64_t most_apart() const { return 2 * static_cast<std::uint64_t>(column_.rows()); }

  template <class Number>
  std::uint32_t code_of(Number number, std::int64_t row) {
    if (!code_of_whole_.empty()) {
      std::uint32_t& code = code_of_whole_[static_cast<std::size_t>(static_cast<std::int64_t>(number) - low_)];
      if (code == IdTable::kAbsent) code = add(row);
      return code;
    }
    if (!std::in_range<std::int64_t>(number)) return add(row);
    return whole_.code(static_cast<std::int64_t>(number), [&] { return add(row); });
  }

  // Each word of a dictionary is looked up once.
  void append_places(const Piece& piece, std::int64_t from, std::int64_t to) {
    if (piece.dictionary != words_) {
      words_ = piece.dictionary;
      code_of_word_.assign(static_cast<std::size_t>(words_->length), IdTable::kAbsent);
    }
    const Places places(piece);
    for (std::int64_t i = from; i < to; ++i) {
      std::uint32_t& code = code_of_word_[static_cast<std::size_t>(places[i])];
      if (code == IdTable::kAbsent) code = add(i + piece.first - piece.offset);
      numbered_.codes.push_back(code);
    }
  }

  const IdColumn& column_;
  Numbered& numbered_;
  Ids ids_{1024};
  std::int64_t low_ = 0;
  std::vector<std::uint32_t> code_of_whole_;  // from the lowest number on, where they stand close together
  WholeNumbers whole_;
  std::shared_ptr<const Piece> words_;  // of the dictionary that was last used
  std::vector<std::uint32_t> code_of_word_;
};

}  // namespace

CheckedColumns::CheckedColumns(const Table& table, const ChosenColumns& chosen)
    : query(table, chosen.query), document(table, chosen.document), by_rank(chosen.by_rank) {
  if (chosen.number) number.emplace(table, *chosen.number);
}

void CheckedColumns::append_scores(std::int64_t begin, std::int64_t end, std::vector<double>& scores) const {
  const std::size_t before = scores.size();
  append_numbers(*number, begin, end, scores);
  if (by_rank) negate(std::span(scores).subspan(before));
}

void CheckedColumns::append_scores(std::span<const std::uint32_t> rows, std::vector<double>& scores) const {
  const std::size_t before = scores.size();
  append_numbers(*number, rows, scores);
  if (by_rank) negate(std::span(scores).subspan(before));
}

TableRanker::TableRanker(const CheckedColumns& columns, const Judgments& judgments, const RankingOptions& ranking)
    : columns_(columns), numbers_are_ids_(holds_whole_numbers(columns.document)), ranker_(judgments, ranking) {}

void TableRanker::start() {
  texts_.start();
  numbers_.clear();
  scores_.clear();
}

template <class... Rows>
void TableRanker::append(const Rows&... rows) {
  if (numbers_are_ids_) {
    append_whole_numbers(columns_.document, rows..., numbers_);
  } else {
    texts_.append(columns_.document, rows...);
  }
  if (columns_.number) columns_.append_scores(rows..., scores_);
}

QueryCounts TableRanker::rank(std::uint32_t query, std::string_view query_id, std::span<const Segment> segments,
                              std::vector<Hit>& hits) {
  start();
  for (const Segment& segment : segments) append(segment.first, segment.first + segment.rows);
  return rank_gathered(query, query_id, hits);
}

QueryCounts TableRanker::rank(std::uint32_t query, std::string_view query_id, std::span<const std::uint32_t> rows,
                              std::vector<Hit>& hits) {
  start();
  try {
    append(rows);
  } catch (const TableFault&) {
    // Of several faults that of the first row counts.
    start();
    for (const std::int64_t row : rows) append(row, row + 1);
    throw;
  }
  return rank_gathered(query, query_id, hits);
}

QueryCounts TableRanker::rank_gathered(std::uint32_t query, std::string_view query_id, std::vector<Hit>& hits) {
  const std::span<const std::int64_t> numbers = numbers_;
  const std::span<const std::string_view> texts = texts_.texts();
  const std::size_t rows = numbers_are_ids_ ? numbers.size() : texts.size();
  const std::span<const double> scores = columns_.number ? scores_ : places_.of(rows);
  return numbers_are_ids_ ? ranker_.rank(query, query_id, numbers, scores, hits)
                          : ranker_.rank(query, query_id, texts, scores, hits);
}

void add_table_qrels(JudgmentsBuilder& builder, const Table& table, const ChosenColumns& chosen, const Poll& poll) {
  const CheckedColumns columns(table, chosen);
  if (columns.number) check_exact(*columns.number, true);
  IdSegments segments;
  Ids documents(1);
  std::vector<double> labels;
  Polling polling(poll);
  for (std::int64_t begin = 0; begin < table.rows; begin += kRowsAtOnce) {
    const std::int64_t end = std::min(begin + kRowsAtOnce, table.rows);
    segments.find(columns.query, begin, end);
    segments.each(columns.query, [&](std::string_view id, std::int64_t first, std::int64_t last) {
      const std::uint32_t query = builder.query(id);
      documents.start();
      documents.append(columns.document, first, last);
      labels.assign(columns.number ? 0 : documents.texts().size(), 1.0);
      if (columns.number) append_labels(*columns.number, first, last, labels);
      for (std::size_t row = 0; row < labels.size(); ++row) {
        builder.add(query, documents.texts()[row], hash_id(documents.texts()[row]), labels[row]);
      }
    });
    polling(static_cast<std::uint64_t>(end));
  }
}

Judgments read_table_qrels(const Table& table, const ChosenColumns& columns, const Poll& poll) {
  JudgmentsBuilder builder;
  for (std::uint32_t query = 0; query < table.queries; ++query) builder.query(std::to_string(query));
  add_table_qrels(builder, table, columns, poll);
  return std::move(builder).finish();
}

AlignedRun align_table(const Table& table, const ChosenColumns& chosen, const Judgments& judgments,
                       const RankingOptions& ranking, int threads, const Poll& poll) {
  const CheckedColumns columns(table, chosen);
  if (columns.number && !ranking.single) check_exact(*columns.number, false);
  const std::uint32_t judged = judgments.queries();
  const RowsByQuery rows(columns.query, judgments.ids(), threads, poll);
  IdTable others = rows.others();
  std::vector<std::uint8_t> named(judged);
  for (std::uint32_t number = 0; number < table.queries; ++number) {
    const std::string id = std::to_string(number);
    const std::uint32_t query = judgments.find_query(id);
    if (query == IdTable::kAbsent) {
      others.find_or_add(id);
    } else {
      named[query] = 1;
    }
  }
  AlignedRun run;
  run.rows = table.rows;
  run.name_others(others);
  const bool by_score = columns.number && !columns.by_rank;
  run.columns = rank_queries(rows.queries(), judged, threads, poll, [&] {
    return [&, ranker = TableRanker(columns, judgments, by_score ? ranking : ranking.of_ranks())](
               std::uint32_t q, std::vector<Hit>& hits) mutable -> std::optional<QueryCounts> {
      const auto rank = [&](std::uint32_t query, std::string_view id) {
        return rows.are_scattered() ? ranker.rank(query, id, rows.rows(q), hits)
                                    : ranker.rank(query, id, rows.segments(q), hits);
      };
      if (q >= judged) {
        rank(Judgments::kUnjudged, others[q - judged]);
        return std::nullopt;
      }
      if (rows.has(q)) return rank(q, judgments.query_id(q));
      return named[q] != 0 ? std::optional(QueryCounts()) : std::nullopt;
    };
  });
  for (std::uint32_t q = 0; q < rows.queries(); ++q) run.interleaved += rows.is_interleaved(q) ? 1 : 0;
  return run;
}

std::vector<std::int64_t> rows_of(const Table& table, const ChosenColumns& chosen, std::string_view query,
                                  std::string_view document) {
  const CheckedColumns columns(table, chosen);
  std::vector<std::int64_t> rows;
  Ids queries(kRowsAtOnce), documents(kRowsAtOnce);
  for (std::int64_t begin = 0; begin < table.rows && rows.size() < 2; begin += kRowsAtOnce) {
    const std::int64_t end = std::min(begin + kRowsAtOnce, table.rows);
    queries.start();
    queries.append(columns.query, begin, end);
    documents.start();
    documents.append(columns.document, begin, end);
    for (std::int64_t row = begin; row < end && rows.size() < 2; ++row) {
      const auto at = static_cast<std::size_t>(row - begin);
      if (queries.texts()[at] == query && documents.texts()[at] == document) rows.push_back(row);
    }
  }
  return rows;
}

QueryRows rows_of_query(const Table& table, const ChosenColumns& chosen, std::string_view query, int threads,
                        const Poll& poll) {
  const CheckedColumns columns(table, chosen);
  IdTable known;
  const std::uint32_t wanted = known.find_or_add(query);
  QueryRows found;
  Ids ids(1);
  const RowsByQuery by_query(columns.query, known, threads, poll);
  for (const std::uint32_t row : by_query.rows(wanted)) found.rows.push_back(row);
  for (const Segment& segment : by_query.segments(wanted)) {
    for (std::int64_t row = segment.first; row < segment.first + segment.rows; ++row) found.rows.push_back(row);
  }
  for (const std::int64_t row : found.rows) found.documents.emplace_back(ids.only(columns.document, row));
  return found;
}

Numbered numbered(const Table& table, std::size_t number, const Poll& poll) {
  const IdColumn column(table, number);
  Numbered numbered;
  numbered.codes.reserve(static_cast<std::size_t>(table.rows));
  IdNumbering numbering(column, numbered);
  Polling polling(poll);
  for (std::int64_t begin = 0; begin < table.rows; begin += kRowsAtOnce) {
    const std::int64_t end = std::min(begin + kRowsAtOnce, table.rows);
    numbering.append(begin, end);
    polling(static_cast<std::uint64_t>(end));
  }
  return numbered;
}

}  // namespace rankmark
