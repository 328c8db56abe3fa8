// Files, read without the interpreter lock.
#include "files.hpp"

#include "readers.hpp"

namespace rankmark {

File file_of(const Bytes& source) {
  if (const int* const descriptor = std::get_if<int>(&source)) return File(*descriptor);
  return File(*std::get<ByteStream*>(source));
}

ByteStream* byte_stream(nb::object rewind) {
  return new ByteStream([rewind = std::move(rewind)] {
    const Locked locked;
    rewind();
  });
}

bool push_bytes(ByteStream& stream, const nb::bytes& piece) {
  const Unlocked unlocked;
  return stream.push(piece.c_str(), piece.size());
}

TextLayout text_layout(std::string_view separator, std::size_t columns, std::size_t query, std::size_t document,
                       std::optional<std::size_t> number, std::optional<std::size_t> rank, std::uint64_t begin,
                       bool labels, bool by_rank, bool more_columns, std::string_view wanted, bool single,
                       std::size_t scanner) {
  if (separator.size() > 1) throw nb::value_error("a separator is one byte, or none for blanks");
  TextLayout layout;
  if (scanner >= scanners().size()) throw nb::value_error("no scanner has this number");
  layout.cut = {separator.empty() ? '\0' : separator.front(), columns, scanner};
  layout.query = query;
  layout.document = document;
  layout.number = number;
  layout.rank = rank;
  layout.begin = begin;
  layout.labels = labels;
  layout.by_rank = by_rank;
  layout.more_columns = more_columns;
  layout.wanted = wanted;
  layout.single = single;
  layout.check();
  return layout;
}

nb::tuple qrels_from_file(const Bytes& source, const TextLayout& layout, int threads, std::size_t block_size,
                          const nb::object& progress) {
  const ReadOptions options = read_options(threads, block_size, progress);
  QrelsRead read = [&] {
    const Unlocked unlocked;
    return read_qrels(file_of(source), layout, options);
  }();
  return nb::make_tuple(std::move(read.judgments), read.counts.rows, read.counts.extra_columns);
}

nb::tuple align_file(const Bytes& source, const TextLayout& layout, const Judgments& judgments,
                     const RankingOptions& ranking, int threads, std::size_t block_size, const nb::object& progress) {
  ReadOptions options = read_options(threads, block_size, progress);
  options.memory = ranking.memory;
  const bool by_score = !layout.by_rank && layout.number;
  AlignedRun run = [&] {
    const Unlocked unlocked;
    return read_run(file_of(source), layout, judgments, by_score ? ranking : ranking.of_ranks(), options);
  }();
  return run_tuple(std::move(run));
}

nb::tuple rows_from_file(const Bytes& source, const TextLayout& layout, bool lenient, int threads,
                         std::size_t block_size, const nb::object& progress, const std::optional<nb::list>& queries) {
  const ReadOptions options = read_options(threads, block_size, progress);
  std::unordered_set<std::string_view> wanted;
  std::vector<nb::bytes> held;  // while the list may be changed
  if (queries) {
    for (const nb::handle query : *queries) {
      held.push_back(nb::cast<nb::bytes>(query));
      wanted.emplace(held.back().c_str(), held.back().size());
    }
  }
  RowsRead read = [&] {
    const Unlocked unlocked;
    return read_rows(file_of(source), layout, lenient, options, queries ? &wanted : nullptr);
  }();
  nb::list faults;
  for (const auto& [line, message] : read.faults) {
    faults.append(nb::make_tuple(line, decoded(message.found), decoded(message.remedy)));
  }
  const nb::object rank = layout.rank ? nb::cast(to_array(std::move(read.rank))) : nb::none();
  const nb::tuple query_ids = ids(read.queries.size(), [&](std::uint32_t query) { return read.queries[query]; });
  return nb::make_tuple(to_array(std::move(read.query_codes)), query_ids, to_array(std::move(read.doc_codes)),
                        std::move(read.documents), to_array(std::move(read.number)), rank,
                        to_array(std::move(read.line)), faults, read.faulty, read.extra_lines,
                        read.counts.extra_columns);
}

std::vector<std::uint64_t> lines_in_file(const Bytes& source, const TextLayout& layout, const nb::bytes& query,
                                         const nb::bytes& document) {
  const std::string_view query_id(query.c_str(), query.size()), document_id(document.c_str(), document.size());
  const Unlocked unlocked;
  return lines_of(file_of(source), layout, query_id, document_id, let_signals_through);
}

std::uint64_t line_in_file(const Bytes& source, std::uint64_t offset) {
  const Unlocked unlocked;
  return line_number(file_of(source), offset, let_signals_through);
}
}  // namespace rankmark
