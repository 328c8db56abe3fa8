// Judgments and runs that come as one table after another.
#pragma once

#include "batched_run.hpp"
#include "convert.hpp"
#include "judgments.hpp"
#include "table.hpp"

namespace rankmark {

void add_qrels_batch(JudgmentsBuilder& builder, const Table& table, std::size_t query, std::size_t document,
                     std::optional<std::size_t> label);
Judgments finished_qrels(JudgmentsBuilder& builder);

BatchedRun::Part run_part(const BatchedRun& run, const Table& table, std::size_t query, std::size_t document,
                          std::optional<std::size_t> number, bool by_rank);
void merge_part(BatchedRun& run, BatchedRun::Part& part);
void close_run(BatchedRun& run);
void gather_batch(BatchedRun& run, const Table& table, std::size_t query, std::size_t document,
                  std::optional<std::size_t> number, bool by_rank);
nb::tuple finished_run(BatchedRun& run);

// One table of the rows of several, which have the same columns.
Table joined_tables(const std::vector<const Table*>& tables);

// Some columns of a table, in any order.
Table selected_columns(const Table& table, const std::vector<std::size_t>& columns);

}  // namespace rankmark
