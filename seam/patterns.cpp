// Rankings read out of Python's objects under the interpreter's lock, and described without it.
#include "patterns.hpp"

#include <nanobind/stl/pair.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "dict_entries.hpp"
#include "highest.hpp"
#include "numbers.hpp"
#include "segments.hpp"
#include "values.hpp"

namespace rankmark {
namespace {

constexpr std::size_t kAtATime = std::size_t{1} << 14;       // rankings that are read before they are described,
constexpr std::size_t kBytesAtATime = std::size_t{1} << 22;  // and the text of their ids
constexpr std::int32_t kNotPlain = -2;                       // in the place of a pattern's number
constexpr std::size_t kBetweenChecks = 1 << 9;               // of signals, rankings

// Writes a plain whole number; false for others, and for those of more than 64 bits.
class Digits {
 public:
  bool write(PyObject* number) {
    if (!PyLong_CheckExact(number)) return false;
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(number, &overflow);
    if (overflow != 0) return false;
    size_ = static_cast<std::size_t>(std::to_chars(digits_, digits_ + sizeof digits_, value).ptr - digits_);
    return true;
  }
  std::string_view text() const noexcept { return {digits_, size_}; }

 private:
  char digits_[20];  // of 64 bits with a sign
  std::size_t size_ = 0;
};

// The text of an id that is a str or a whole number, of no subclass; none for anything else.
std::optional<std::string_view> plain_id(PyObject* id, Digits& digits) {
  if (PyUnicode_CheckExact(id)) return utf8_of(id);
  if (digits.write(id)) return digits.text();
  return std::nullopt;
}

// A score that is a float or a whole number, exactly; NaN for anything else.
double plain_score(PyObject* score) {
  if (PyFloat_CheckExact(score)) return PyFloat_AS_DOUBLE(score);
  return PyLong_CheckExact(score) ? exact_whole(score).value_or(std::nan("")) : std::nan("");
}

// The items of a list or tuple that no other thread changes while they are read.
nb::object unchanging_items(PyObject* list) {
#if defined(Py_GIL_DISABLED)
  return nb::steal(owned(PySequence_Tuple(list)));
#else
  return borrowed(list);
#endif
}

// Reads rankings of text and plain numbers, in which none of the caller's code runs. Where the first `most` documents
// decide, the ids of others are not looked at, but for whether they are plain.
class PlainRankings {
 public:
  PlainRankings(GivenRankings& given, std::size_t most) : given_(given), most_(most) {}

  // Appends a ranking; false, and nothing is appended, where there is anything else in it.
  bool read(PyObject* query, PyObject* ranking) {
    const std::optional<std::string_view> query_id = plain_id(query, digits_);
    if (!query_id) return false;
    if (PyDict_CheckExact(ranking)) return read_dict(*query_id, unchanging(ranking).ptr());
    if (!PyList_CheckExact(ranking) && !PyTuple_CheckExact(ranking)) return false;
    const nb::object held = unchanging_items(ranking);
    const std::span items(PySequence_Fast_ITEMS(held.ptr()),
                          static_cast<std::size_t>(PySequence_Fast_GET_SIZE(held.ptr())));
    const bool in_list = PyList_CheckExact(ranking);
    if (!items.empty() && is_pair(items[0], in_list)) return read_pairs(*query_id, items, in_list);
    given_.start(*query_id, false);
    const std::size_t first = items.size() > most_ && differ(items.first(most_)) ? most_ : items.size();
    for (PyObject* const item : items.first(first)) {
      const std::optional<std::string_view> id = plain_id(item, digits_);
      if (!id) return taken_back();
      given_.add(*id);
    }
    for (PyObject* const item : items.subspan(first)) {
      if (PyUnicode_CheckExact(item) && PyUnicode_IS_COMPACT_ASCII(item)) continue;  // as nearly always
      if (!plain_id(item, digits_)) return taken_back();
    }
    return true;
  }

  // The same for a dict with keys that are text.
  bool read_scores(PyObject* query, PyObject* scores) {
    if (!PyUnicode_CheckExact(query) || !PyDict_CheckExact(scores) || PyDict_Size(scores) == 0) return false;
    const nb::object held = unchanging(scores);
    PyObject *id, *score;
    for (Py_ssize_t at = 0; PyDict_Next(held.ptr(), &at, &id, &score);) {
      if (!PyUnicode_CheckExact(id)) return false;
    }
    const std::optional<std::string_view> query_id = utf8_of(query);
    return query_id && read_dict(*query_id, held.ptr());
  }

 private:
  // A tuple of two, or a list of two within a list, as in a run.
  static bool is_pair(PyObject* item, bool in_list) {
    return (PyTuple_CheckExact(item) && PyTuple_GET_SIZE(item) == 2) ||
           (in_list && PyList_CheckExact(item) && PyList_GET_SIZE(item) == 2);
  }

  bool read_pairs(std::string_view query_id, std::span<PyObject* const> items, bool in_list) {
    given_.start(query_id, true);
    for (PyObject* const item : items) {
      if (!is_pair(item, in_list)) return taken_back();
      const nb::object pair = unchanging_items(item);
      if (PySequence_Fast_GET_SIZE(pair.ptr()) != 2) return taken_back();
      PyObject* const* const parts = PySequence_Fast_ITEMS(pair.ptr());
      if (!add(parts[0], parts[1])) return taken_back();
    }
    return true;
  }

  // Whether ids are few, and differ for certain: they are text, with hashes that differ.
  static bool differ(std::span<PyObject* const> ids) {
    constexpr std::size_t kFew = 32;  // each is compared with all others
    std::array<Py_hash_t, kFew> hashes;
    if (ids.size() > kFew) return false;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (!PyUnicode_CheckExact(ids[i])) return false;
      hashes[i] = PyObject_Hash(ids[i]);
      for (std::size_t before = 0; before < i; ++before) {
        if (hashes[before] == hashes[i]) return false;
      }
    }
    return true;
  }

  // Reads the documents with the highest scores. Text keys differ.
  bool read_highest(std::string_view query_id, std::span<const DictEntry> entries) {
    scores_.resize(entries.size());
    double* score = scores_.data();
    for (const auto [id, value] : entries) {
      *score = -std::numeric_limits<double>::infinity();
      if (value != nullptr) {
        *score = plain_score(value);
        if (std::isnan(*score) || !(PyUnicode_IS_COMPACT_ASCII(id) || utf8_of(id))) return false;
      }
      ++score;
    }
    const double reached = reached_by<double>(scores_, static_cast<std::int64_t>(most_), highest_);
    places_.resize(scores_.size());
    std::size_t count = 0;
    for (std::size_t i = 0; i < scores_.size(); ++i) {
      places_[count] = i;
      count += scores_[i] >= reached ? 1 : 0;
    }
    const std::span reaching = std::span(places_).first(count);
    highest_.clear();
    for (const std::size_t place : reaching) highest_.push_back(scores_[place]);
    const double last = place_last_kept(highest_, most_);
    given_.start(query_id, true);
    for (const std::size_t place : reaching) {
      if (scores_[place] < last || entries[place].value == nullptr) continue;
      given_.add(*utf8_of(entries[place].key), scores_[place]);
    }
    return true;
  }

  bool read_dict(std::string_view query_id, PyObject* dict) {
    if (static_cast<std::size_t>(PyDict_Size(dict)) > most_ && holds_only_text(dict)) {
      return read_highest(query_id, entries_of(dict));
    }
    given_.start(query_id, PyDict_Size(dict) > 0);
    if (holds_only_text(dict)) {
      for (const DictEntry& entry : entries_of(dict)) {
        if (entry.value != nullptr && !add(entry.key, entry.value)) return taken_back();
      }
      return true;
    }
    PyObject *id, *score;
    for (Py_ssize_t at = 0; PyDict_Next(dict, &at, &id, &score);) {
      if (!add(id, score)) return taken_back();
    }
    return true;
  }

  bool add(PyObject* id, PyObject* score) {
    const double value = plain_score(score);
    const std::optional<std::string_view> text = plain_id(id, digits_);
    if (!text || std::isnan(value)) return false;
    given_.add(*text, value);
    return true;
  }

  bool taken_back() {
    given_.take_back();
    return false;
  }

  GivenRankings& given_;
  std::size_t most_;
  Digits digits_;
  std::vector<double> scores_, highest_;
  std::vector<std::size_t> places_;
};

// The columns of an alignment in which each pattern is a query.
class PatternColumns {
 public:
  explicit PatternColumns(const AlikeQueries& alike) : alike_(alike) {}

  void add(std::string_view bytes) {
    if (!pattern_.read(bytes) || pattern_.query >= alike_.size()) throw nb::value_error("these bytes are no pattern");
    queries_.push_back(pattern_.query);
    retrieved_.push_back(pattern_.counts.retrieved);
    for (const Hit& hit : pattern_.hits) {
      label_.push_back(hit.label);
      rank_.push_back(hit.rank);
      tie_first_.push_back(hit.tie_first);
      tie_last_.push_back(hit.tie_last);
      tied_ = tied_ || hit.tie_first != hit.tie_last;
    }
    starts_.push_back(static_cast<std::int64_t>(label_.size()));
  }

  // Queries, starts, ranks, labels, numbers of documents, and first and last ranks of ties, None where nothing ties.
  nb::tuple finish() && {
    const auto if_tied = [this](std::vector<std::int32_t>&& column) -> nb::object {
      return tied_ ? as_array(std::move(column)) : nb::none();
    };
    return nb::make_tuple(as_array(std::move(queries_)), as_array(std::move(starts_)), as_array(std::move(rank_)),
                          as_array(std::move(label_)), as_array(std::move(retrieved_)), if_tied(std::move(tie_first_)),
                          if_tied(std::move(tie_last_)));
  }

 private:
  const AlikeQueries& alike_;
  Pattern pattern_;
  std::vector<std::int64_t> queries_, retrieved_, starts_ = {0};
  std::vector<std::int32_t> rank_, tie_first_, tie_last_;
  std::vector<double> label_;
  bool tied_ = false;
};

}  // namespace

std::size_t RankingPatterns::looked_at(const RankingOptions& options) noexcept {
  constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::max();
  const bool by_rank = options.depth >= options.deepest && !options.judged_only && !options.drop_self &&
                       !options.single && !options.units.any();
  return static_cast<std::size_t>(by_rank ? options.deepest : kAll);
}

nb::object RankingPatterns::find(nb::handle query, nb::handle ranking) {
  const nb::ft_lock_guard lock(mutex_);
  given_.clear();
  return PlainRankings(given_, most_).read(query.ptr(), ranking.ptr()) ? found() : nb::none();
}

nb::object RankingPatterns::find_scores(nb::handle query, nb::handle scores) {
  const nb::ft_lock_guard lock(mutex_);
  given_.clear();
  return PlainRankings(given_, most_).read_scores(query.ptr(), scores.ptr()) ? found() : nb::none();
}

nb::object RankingPatterns::found() {
  pattern_.clear();
  finder_.append(given_.ranking(0, ids_), pattern_);
  return nb::bytes(pattern_.data(), pattern_.size());
}

void RankingPatterns::tabulate(const Input<double>& labels, std::size_t ranks, const nb::list& tables) {
  const std::span rising = span_of(labels);
  if (std::adjacent_find(rising.begin(), rising.end(), std::greater_equal<>()) != rising.end()) {
    throw nb::value_error("labels must rise");
  }
  std::vector<TermTable> taken;
  for (const nb::handle table : tables) {
    const auto [rel, terms] = nb::cast<std::pair<double, Input<double>>>(table);
    const std::size_t rows = std::isnan(rel) ? rising.size() : ranks;
    if (ranks == 0 || terms.size() % ranks != 0 || terms.size() / ranks != rows) {  // a product could overflow
      throw nb::value_error("a table must have a term for each rank in each of its rows");
    }
    const std::span held = span_of(terms);
    taken.push_back({std::isnan(rel) ? std::nullopt : std::optional(rel), {held.begin(), held.end()}});
  }
  const nb::ft_lock_guard lock(mutex_);
  divisors_ = KnownDivisors();
  tables_.emplace(std::vector(rising.begin(), rising.end()), ranks, std::move(taken));
}

void RankingPatterns::learn_divisors(const nb::bytes& pattern, const Input<double>& divisors) {
  Pattern of;
  if (!of.read({pattern.c_str(), pattern.size()})) throw nb::value_error("these bytes are no pattern");
  const nb::ft_lock_guard lock(mutex_);
  if (!tables_ || divisors.size() != tables_->size()) throw nb::value_error("there must be a divisor for each table");
  divisors_.learn(of.query, of.counts.retrieved, span_of(divisors));
}

nb::object RankingPatterns::values(nb::handle query, nb::handle ranking) {
  const nb::ft_lock_guard lock(mutex_);
  given_.clear();
  return PlainRankings(given_, most_).read(query.ptr(), ranking.ptr()) ? added_up() : nb::none();
}

nb::object RankingPatterns::values_of_scores(nb::handle query, nb::handle scores) {
  const nb::ft_lock_guard lock(mutex_);
  given_.clear();
  return PlainRankings(given_, most_).read_scores(query.ptr(), scores.ptr()) ? added_up() : nb::none();
}

nb::object RankingPatterns::added_up() {
  if (!tables_) return nb::none();
  const std::optional<PatternFinder::Found> found = finder_.find(given_.ranking(0, ids_));
  if (!found) return nb::none();
  const std::span divisors = divisors_.find(found->query, found->counts.retrieved);
  // Not a member: a new tuple may let the collector run, and a finaliser look at another ranking.
  std::vector<double> sums(tables_->size());
  if (divisors.empty() || !tables_->add_up(found->hits, sums)) return nb::none();
  ratio(sums, divisors, sums);
  nb::object values = nb::steal(owned(PyTuple_New(static_cast<Py_ssize_t>(sums.size()))));
  for (std::size_t one = 0; one < sums.size(); ++one) {
    PyTuple_SET_ITEM(values.ptr(), static_cast<Py_ssize_t>(one), owned(PyFloat_FromDouble(sums[one])));
  }
  return values;
}

nb::tuple RankingPatterns::columns(const nb::bytes& pattern) const {
  PatternColumns columns(alike_);
  columns.add({pattern.c_str(), pattern.size()});
  return std::move(columns).finish();
}

nb::tuple RankingPatterns::find_all(const nb::list& queries, const nb::list& rankings, int threads) const {
  const std::size_t count = queries.size();
  if (rankings.size() != count) throw nb::value_error("as many queries as rankings");
  const nb::object held_queries = unchanging_items(queries.ptr()), held_rankings = unchanging_items(rankings.ptr());
  std::vector<std::int32_t> numbers(count, kNotPlain);
  std::vector<std::size_t> rows;
  GivenRankings given;
  PlainRankings plain(given, most_);
  DistinctPatterns distinct;
  const auto describe = [&] {
    {
      const Unlocked unlocked;
      distinct.numbers().clear();
      distinct.add(given, judgments_, alike_, options_, threads, let_signals_through);
    }
    for (std::size_t one = 0; one < rows.size(); ++one) numbers[rows[one]] = distinct.numbers()[one];
    rows.clear();
    given.clear();
  };
  for (std::size_t row = 0; row < count; ++row) {
    // The lists may have become shorter while the lock was released.
    if (static_cast<std::size_t>(PySequence_Fast_GET_SIZE(held_queries.ptr())) != count ||
        static_cast<std::size_t>(PySequence_Fast_GET_SIZE(held_rankings.ptr())) != count) {
      throw nb::value_error("the lists were changed while they were read");
    }
    PyObject* const query = PySequence_Fast_ITEMS(held_queries.ptr())[row];
    PyObject* const ranking = PySequence_Fast_ITEMS(held_rankings.ptr())[row];
    if (plain.read(query, ranking)) rows.push_back(row);
    if (rows.size() == kAtATime || given.bytes() >= kBytesAtATime) describe();
    if (row % kBetweenChecks == 0 && PyErr_CheckSignals() != 0) nb::raise_python_error();
  }
  describe();
  PatternColumns columns(alike_);
  for (std::uint32_t number = 0; number < distinct.patterns().size(); ++number) {
    columns.add(distinct.patterns()[number]);
  }
  return nb::make_tuple(to_array(std::move(numbers)), std::move(columns).finish());
}

std::unique_ptr<RankingPatterns> ranking_patterns(const Judgments& judgments, const RankingOptions& ranking,
                                                  const std::optional<Input<std::int64_t>>& ideal_starts,
                                                  const std::optional<Input<double>>& ideal_label) {
  if (!ideal_starts || !ideal_label) {
    return std::make_unique<RankingPatterns>(judgments, ranking, AlikeQueries(judgments.queries()));
  }
  const std::span starts = span_of(*ideal_starts);
  if (starts.size() != judgments.queries() + std::size_t{1} ||
      !are_starts(starts, static_cast<std::int64_t>(ideal_label->size()))) {
    throw nb::value_error("ideal_starts must rise from 0 to the number of ideal labels, for each query");
  }
  return std::make_unique<RankingPatterns>(judgments, ranking, AlikeQueries(starts, span_of(*ideal_label)));
}

}  // namespace rankmark
