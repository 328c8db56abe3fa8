// Files, read without the interpreter lock.
#include "files.hpp"

#include "trec.hpp"

namespace rankmark {

nb::tuple qrels_from_file(int descriptor, int threads, std::size_t block_size, const nb::object& progress) {
  const ReadOptions options = read_options(threads, block_size, progress);
  QrelsRead read = [&] {
    const nb::gil_scoped_release unlocked;
    return read_qrels(File(descriptor), options);
  }();
  return nb::make_tuple(std::move(read.judgments), read.counts.rows, read.counts.extra_columns);
}

nb::tuple align_file(int descriptor, const Judgments& judgments, const RankingOptions& ranking, bool by_rank, int threads,
                     std::size_t block_size, const nb::object& progress) {
  const ReadOptions options = read_options(threads, block_size, progress);
  RunRead read = [&] {
    const nb::gil_scoped_release unlocked;
    return read_run(File(descriptor), judgments, ranking, by_rank, options);
  }();
  nb::list examples;
  for (const std::string& id : read.run_only_examples) examples.append(decoded(id));
  return nb::make_tuple(columns_tuple(std::move(read.columns)), read.run_only, examples, read.counts.rows,
                        read.counts.extra_columns, read.interleaved);
}

std::vector<std::uint64_t> lines_in_file(int descriptor, const nb::bytes& query, const nb::bytes& document) {
  const std::string_view query_id(query.c_str(), query.size()), document_id(document.c_str(), document.size());
  const nb::gil_scoped_release unlocked;
  return lines_of(File(descriptor), query_id, document_id, let_signals_through);
}

std::uint64_t line_in_file(int descriptor, std::uint64_t offset) {
  const nb::gil_scoped_release unlocked;
  return line_number(File(descriptor), offset, let_signals_through);
}
}  // namespace rankmark
