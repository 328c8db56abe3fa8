// Records of segments, cut into partitions by the number of their query. A record is the query's number, its number of
// rows, and for each row its score, the length of its id and the id; whole numbers take 7 bits a byte.
#include "gathered_segments.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <string>
#include <utility>

#include "fault.hpp"

namespace rankmark {
namespace {

std::size_t whole_bytes(std::uint64_t number) noexcept {
  std::size_t bytes = 1;
  while (number >= 0x80) number >>= 7, ++bytes;
  return bytes;
}

char* write_whole(char* at, std::uint64_t number) noexcept {
  for (; number >= 0x80; number >>= 7) *at++ = static_cast<char>(number | 0x80);
  *at++ = static_cast<char>(number);
  return at;
}

// Reads records one after the other.
class Reader {
 public:
  Reader(const char* at, std::size_t size) : at_(at), end_(at + size) {}

  bool done() const noexcept { return at_ == end_; }
  const char* at() const noexcept { return at_; }

  std::uint64_t whole() noexcept {
    std::uint64_t number = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(*at_++);
      number |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return number;
    }
  }
  double score() noexcept {
    double score;
    std::memcpy(&score, at_, sizeof score);
    at_ += sizeof score;
    return score;
  }
  std::string_view id() noexcept {
    const auto size = static_cast<std::size_t>(whole());
    const char* const first = at_;
    at_ += size;
    return {first, size};
  }
  // Appends the rows of a record, whose ids stay where they are.
  void append_rows(std::vector<double>& scores, std::vector<std::string_view>& ids) {
    for (std::uint64_t rows = whole(); rows > 0; --rows) {
      scores.push_back(score());
      ids.push_back(id());
    }
  }
  void skip_rows() noexcept {
    std::uint64_t rows = whole();
    for (; rows > 0; --rows) {
      at_ += sizeof(double);
      at_ += whole();
    }
  }

 private:
  const char *at_, *end_;
};

}  // namespace

// Half of the memory holds chunks; a quarter, a partition that is read back; what a query takes while it is ranked
// comes on top.
GatheredSegments::GatheredSegments(std::uint64_t memory, unsigned level)
    : level_(level),
      memory_(memory),
      chunk_bytes_(static_cast<std::size_t>(
          std::clamp<std::uint64_t>(memory / (8 * kPartitions), std::uint64_t{1} << 8, std::uint64_t{1} << 16))) {}

std::size_t GatheredSegments::row_bytes(std::string_view id) noexcept {
  return sizeof(double) + whole_bytes(id.size()) + id.size();
}

char* GatheredSegments::write_row(char* at, double score, std::string_view id) noexcept {
  std::memcpy(at, &score, sizeof score);
  at = write_whole(at + sizeof score, id.size());
  std::memcpy(at, id.data(), id.size());
  return at + id.size();
}

GatheredSegments::Partition& GatheredSegments::noted(std::uint32_t query) {
  Partition& partition = partitions_[(query >> (kDigit * level_)) % kPartitions];
  partition.lowest = std::min(partition.lowest, query);
  partition.highest = std::max(partition.highest, query);
  return partition;
}

std::size_t GatheredSegments::begin_chunk(Partition& partition, std::size_t least) {
  const std::size_t wanted = std::max(least, chunk_bytes_);
  if (held_ + wanted > memory_ / 2) spill_largest();
  Chunk chunk;
  if (wanted == chunk_bytes_ && !spare_.empty()) {
    chunk = std::move(spare_.back());
    spare_.pop_back();
  } else {
    chunk = {std::make_unique_for_overwrite<char[]>(wanted), wanted, 0};
  }
  partition.chunks.push_back(std::move(chunk));
  partition.held += wanted;
  held_ += wanted;
  return wanted;
}

char* GatheredSegments::begin_record(Partition& partition, std::uint32_t query, std::size_t rows) {
  Chunk& chunk = partition.chunks.back();
  return write_whole(write_whole(chunk.bytes.get() + chunk.used, query), rows);
}

void GatheredSegments::end_record(Partition& partition, const char* end, std::size_t rows) {
  Chunk& chunk = partition.chunks.back();
  const auto used = static_cast<std::size_t>(end - chunk.bytes.get());
  partition.bytes += used - chunk.used;
  partition.rows += rows;
  ++partition.records;
  chunk.used = used;
}

void GatheredSegments::spill_largest() {
  Partition& largest = *std::max_element(partitions_.begin(), partitions_.end(),
                                         [](const Partition& a, const Partition& b) { return a.held < b.held; });
  for (Chunk& chunk : largest.chunks) {
    largest.extents.push_back({file_.append(chunk.bytes.get(), chunk.used), chunk.used});
    chunk.used = 0;
    if (chunk.capacity == chunk_bytes_) spare_.push_back(std::move(chunk));
  }
  held_ -= largest.held;
  largest.held = 0;
  largest.chunks.clear();
}

void GatheredSegments::hand_out(const Take& take, const Poll& poll) {
  Polling polling(poll);
  std::uint32_t faulty = 0;
  std::exception_ptr fault;
  const Take guarded = [&](std::uint32_t query, std::span<const std::string_view> ids, std::span<const double> scores) {
    if (fault && query > faulty) return;
    try {
      take(query, ids, scores);
    } catch (const DuplicateFault&) {
      faulty = query;
      fault = std::current_exception();
    }
  };
  hand_out_all(guarded, polling);
  if (fault) std::rethrow_exception(fault);
}

void GatheredSegments::hand_out_all(const Take& take, Polling& polling) {
  spare_.clear();
  // Those that are in memory first, to free it.
  for (const bool spilled : {false, true}) {
    for (Partition& partition : partitions_) {
      if (partition.rows > 0 && partition.extents.empty() != spilled) {
        hand_out_partition(std::exchange(partition, {}), take, polling);
      }
    }
  }
}

void GatheredSegments::hand_out_partition(Partition partition, const Take& take, Polling& polling) {
  if (partition.lowest == partition.highest) return hand_out_one(partition, take, polling);
  if (can_be_loaded(partition)) return hand_out_loaded(partition, take, polling);
  GatheredSegments parts(memory_ / 2, level_ + 1);
  cut(partition, parts, polling);
  partition = {};
  parts.hand_out_all(take, polling);
}

void GatheredSegments::cut(const Partition& partition, GatheredSegments& parts, Polling& polling) {
  std::vector<double> scores;
  std::vector<std::string_view> ids;
  each_piece(partition, polling, [&](std::string_view piece) {
    for (Reader reader(piece.data(), piece.size()); !reader.done();) {
      const auto query = static_cast<std::uint32_t>(reader.whole());
      scores.clear();
      ids.clear();
      reader.append_rows(scores, ids);
      parts.add(query, scores, [&](std::size_t row) { return ids[row]; });
    }
  });
}

bool GatheredSegments::can_be_loaded(const Partition& partition) const noexcept {
  constexpr std::uint64_t kLongest = std::numeric_limits<std::uint32_t>::max();
  const std::uint64_t queries = std::uint64_t{partition.highest >> (kDigit * level_)} / kPartitions + 1;
  const std::uint64_t needed = partition.bytes + sizeof(std::uint32_t) * (partition.records + queries);
  return needed <= memory_ / 4 && needed <= kLongest;
}

template <class Use>
void GatheredSegments::each_piece(const Partition& partition, Polling& polling, const Use& use) {
  for (const Extent& extent : partition.extents) {
    if (buffer_.size() < extent.size) buffer_.resize(extent.size);
    file_.read(extent.offset, buffer_.data(), extent.size);
    use(std::string_view(buffer_.data(), extent.size));
    polling(0);
  }
  for (const Chunk& chunk : partition.chunks) use(std::string_view(chunk.bytes.get(), chunk.used));
}

void GatheredSegments::hand_out_one(const Partition& partition, const Take& take, Polling& polling) {
  std::vector<double> scores;
  std::vector<std::string_view> ids;
  scores.reserve(partition.rows);
  ids.reserve(partition.rows);
  std::string text;
  text.reserve(partition.bytes - sizeof(double) * partition.rows);  // never moves, so that ids stay in it
  each_piece(partition, polling, [&](std::string_view piece) {
    for (Reader reader(piece.data(), piece.size()); !reader.done();) {
      reader.whole();
      for (std::uint64_t rows = reader.whole(); rows > 0; --rows) {
        scores.push_back(reader.score());
        const std::string_view id = reader.id();
        ids.emplace_back(text.data() + text.size(), id.size());
        text.append(id);
      }
    }
  });
  take(partition.lowest, ids, scores);
}

void GatheredSegments::hand_out_loaded(const Partition& partition, const Take& take, Polling& polling) {
  std::string text;
  text.reserve(partition.bytes);
  each_piece(partition, polling, [&](std::string_view piece) { text.append(piece); });

  // Where each query's records begin: counted, then put side by side.
  const auto place_of = [this](std::uint32_t query) {
    return static_cast<std::uint32_t>((query >> (kDigit * level_)) / kPartitions);
  };
  const std::uint32_t first = place_of(partition.lowest);
  std::vector<std::uint32_t> ends(place_of(partition.highest) - first + std::size_t{1});
  std::vector<std::uint32_t> records(partition.records);
  const auto each_record = [&](const auto& use) {
    for (Reader reader(text.data(), text.size()); !reader.done();) {
      const auto at = static_cast<std::uint32_t>(reader.at() - text.data());
      const auto query = static_cast<std::uint32_t>(reader.whole());
      reader.skip_rows();
      use(at, place_of(query) - first);
    }
  };
  each_record([&](std::uint32_t, std::uint32_t place) { ++ends[place]; });
  std::uint32_t before = 0;
  for (std::uint32_t& end : ends) before += std::exchange(end, before);
  each_record([&](std::uint32_t at, std::uint32_t place) { records[ends[place]++] = at; });

  std::vector<double> scores;
  std::vector<std::string_view> ids;
  std::uint32_t next = 0;
  for (const std::uint32_t end : ends) {
    if (next == end) continue;
    scores.clear();
    ids.clear();
    std::uint32_t query = 0;
    for (; next < end; ++next) {
      Reader reader(text.data() + records[next], text.size() - records[next]);
      query = static_cast<std::uint32_t>(reader.whole());
      reader.append_rows(scores, ids);
    }
    take(query, ids, scores);
    polling(0);
  }
}

}  // namespace rankmark
