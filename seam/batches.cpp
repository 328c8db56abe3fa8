// Judgments and runs that come as one table after another, read without the interpreter lock.
#include "batches.hpp"

#include <algorithm>
#include <utility>

#include "tables.hpp"

namespace rankmark {

void add_qrels_batch(JudgmentsBuilder& builder, const Table& table, std::size_t query, std::size_t document,
                     std::optional<std::size_t> label) {
  const ChosenColumns columns = columns_of(table, query, document, label, false);
  const Unlocked unlocked;
  add_table_qrels(builder, table, columns, let_signals_through);
}

Judgments finished_qrels(JudgmentsBuilder& builder) {
  const Unlocked unlocked;
  return std::move(builder).finish();
}

BatchedRun::Part run_part(const BatchedRun& run, const Table& table, std::size_t query, std::size_t document,
                          std::optional<std::size_t> number, bool by_rank) {
  const ChosenColumns columns = columns_of(table, query, document, number, by_rank);
  const Unlocked unlocked;
  return run.part(table, columns);
}

void merge_part(BatchedRun& run, BatchedRun::Part& part) {
  const Unlocked unlocked;
  run.merge(std::move(part));
}

void close_run(BatchedRun& run) {
  const Unlocked unlocked;
  run.close();
}

void gather_batch(BatchedRun& run, const Table& table, std::size_t query, std::size_t document,
                  std::optional<std::size_t> number, bool by_rank) {
  const ChosenColumns columns = columns_of(table, query, document, number, by_rank);
  const Unlocked unlocked;
  run.gather(table, columns);
}

nb::tuple finished_run(BatchedRun& run) {
  AlignedRun finished = [&] {
    const Unlocked unlocked;
    return run.finish(let_signals_through);
  }();
  return run_tuple(std::move(finished));
}

Table joined_tables(const std::vector<const Table*>& tables) {
  if (tables.empty()) throw nb::value_error("need a table at least");
  if (std::find(tables.begin(), tables.end(), nullptr) != tables.end()) throw nb::type_error("None is no table");
  Table joined = *tables.front();
  for (std::size_t i = 1; i < tables.size(); ++i) append_table(joined, *tables[i]);
  return joined;
}

Table selected_columns(const Table& table, const std::vector<std::size_t>& columns) {
  Table selected;
  for (const std::size_t column : columns) {
    if (column >= table.columns.size()) throw nb::index_error("the table has no such column");
    selected.columns.push_back(table.columns[column]);
  }
  selected.rows = table.rows;
  selected.owners = table.owners;
  selected.queries = table.queries;
  return selected;
}

}  // namespace rankmark
