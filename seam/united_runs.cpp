// The rankings of several runs brought together.
#include "united_runs.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace rankmark {
namespace {

// Documents whose numbers rise from query to query, so that their queries are found along the way.
void check_documents(const United& united, std::span<const std::int64_t> documents) {
  const std::vector<std::int64_t>& starts = united.starts();
  std::size_t query = 0;
  for (const std::int64_t document : documents) {
    while (query < united.queries() && document >= starts[query + 1]) ++query;
    if (query == united.queries() || document < starts[query]) {
      throw nb::index_error("no document has this number, or it stands behind those of a later query");
    }
  }
}

void check_scores(const United& united, const Input<double>& scores) {
  if (scores.size() != united.documents()) throw nb::value_error("need a score for each document");
}

}  // namespace

std::unique_ptr<United> united(const nb::list& runs, const Input<std::int64_t>& queries, int threads) {
  std::vector<const Rankings*> rankings;
  for (const nb::handle run : runs) rankings.push_back(nb::cast<const Rankings*>(run));
  if (rankings.empty() || queries.size() % rankings.size() != 0)
    throw nb::value_error("need as many queries of each run");
  const std::span<const std::int64_t> numbers = span_of(queries);
  const std::size_t count = numbers.size() / rankings.size();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (numbers[i] < -1 || numbers[i] >= static_cast<std::int64_t>(rankings[i / count]->queries().size())) {
      throw nb::index_error("no query has this number");
    }
  }
  const Unlocked unlocked;
  return std::make_unique<United>(rankings, numbers, threads, let_signals_through);
}

nb::ndarray<nb::numpy, const std::int32_t, nb::ndim<2>> united_at(const United& united) {
  return {united.at().data(), {united.runs(), united.documents()}, nb::find(united)};
}

nb::tuple united_run(const United& united, std::size_t run) {
  if (run >= united.runs()) throw nb::index_error("no run has this number");
  ListColumns columns = [&] {
    const Unlocked unlocked;
    return columns_of_run(united, run);
  }();
  return nb::make_tuple(to_array(std::move(columns.starts)), to_array(std::move(columns.scores)),
                        to_array(std::move(columns.first)), to_array(std::move(columns.last)));
}

void spread_rows(const Input<std::int64_t>& starts, const Input<std::int32_t>& at, const Input<std::int64_t>& firsts,
                 const Input<double>& values, double absent, const Output<double>& spread) {
  const std::span<const std::int64_t> begins = span_of(starts), list_begins = span_of(firsts);
  const std::span<const std::int32_t> rows = span_of(at);
  const std::span<const double> given = span_of(values);
  const std::span<double> out = span_of(spread);
  if (begins.empty() || list_begins.size() < begins.size() - 1 || rows.size() != out.size() || begins.front() != 0 ||
      begins.back() != static_cast<std::int64_t>(rows.size()) || !std::is_sorted(begins.begin(), begins.end())) {
    throw nb::value_error("need the row of each document, and where its list begins");
  }
  // Whether a document is in a list is as good as random, so the processor had better not foresee it.
  const double none = absent;
  const double* const from = given.empty() ? &none : given.data();
  const std::size_t last = given.empty() ? 0 : given.size() - 1;
  bool is_beyond = false;
  for (std::size_t query = 0; query + 1 < begins.size(); ++query) {
    for (auto i = static_cast<std::size_t>(begins[query]); i < static_cast<std::size_t>(begins[query + 1]); ++i) {
      const bool is_there = rows[i] >= 0;
      const auto place = static_cast<std::size_t>(is_there ? list_begins[query] + rows[i] : 0);
      is_beyond |= is_there && place >= given.size();
      const double value = from[std::min(place, last)];
      out[i] = is_there ? value : absent;
    }
  }
  if (is_beyond) throw nb::index_error("a row has no value");
}

Array<std::int64_t> united_order(const United& united, const Input<double>& scores, std::string_view ties,
                                 int threads) {
  check_scores(united, scores);
  const Ties rule = ties_named(ties);
  std::vector<std::int64_t> order = [&] {
    const Unlocked unlocked;
    return order_of(united, span_of(scores), rule, threads, let_signals_through);
  }();
  return to_array(std::move(order));
}

IdTuple united_ids(const United& united, const Input<std::int64_t>& documents) {
  const std::span<const std::int64_t> numbers = span_of(documents);
  check_documents(united, numbers);
  return ids(numbers.size(), [&](std::uint32_t i) { return united.id(static_cast<std::size_t>(numbers[i])); });
}

Table united_table(const United& united, const Input<std::int64_t>& documents, const Input<double>& scores,
                   int threads) {
  check_scores(united, scores);
  const std::span<const std::int64_t> numbers = span_of(documents);
  check_documents(united, numbers);
  const Unlocked unlocked;
  return table_of(united, numbers, span_of(scores), threads, let_signals_through);
}

nb::object united_lines(const United& united, const Input<std::int64_t>& documents, const Input<double>& scores,
                        const nb::bytes& tag, int threads) {
  check_scores(united, scores);
  const std::span<const std::int64_t> numbers = span_of(documents);
  check_documents(united, numbers);
  const std::string_view written(tag.c_str(), tag.size());
  const std::optional<std::vector<std::string>> texts = [&] {
    const Unlocked unlocked;
    return lines_of(united, numbers, span_of(scores), written, threads, let_signals_through);
  }();
  if (!texts) return nb::none();
  std::size_t size = 0;
  for (const std::string& text : *texts) size += text.size();
  const nb::object lines = nb::steal(owned(PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(size))));
  char* to = PyBytes_AS_STRING(lines.ptr());
  for (const std::string& text : *texts) to = std::copy(text.begin(), text.end(), to);
  return lines;
}

}  // namespace rankmark
