// The reader of runs as whole rankings.
#include <memory>
#include <string_view>

#include "rankings.hpp"
#include "read_segments.hpp"
#include "readers.hpp"

namespace rankmark {
namespace {

// Where ranked queries go: all their documents.
class RankedQueries {
 public:
  // Documents of some queries, which the rankings go on to hold.
  class Rows {
   public:
    std::size_t size() const noexcept { return documents_->size(); }
    void clear() { documents_ = std::make_shared<RankedDocuments>(); }
    const std::shared_ptr<RankedDocuments>& documents() const noexcept { return documents_; }

   private:
    std::shared_ptr<RankedDocuments> documents_ = std::make_shared<RankedDocuments>();
  };

  using Outcome = ListCounts;

  class Ranker {
   public:
    explicit Ranker(const ListOptions& options) : ranker_(options) {}

    Outcome operator()(std::string_view query_id, std::span<const std::string_view> ids, std::span<const double> scores,
                       Rows& rows) {
      return ranker_.rank(query_id, ids, scores, *rows.documents());
    }
    Outcome operator()(std::string_view query_id, const TextIds& ids, std::span<const double> scores, Rows& rows) {
      ids_.clear();
      for (std::size_t row = 0; row < ids.size(); ++row) ids_.push_back(ids[row]);
      return (*this)(query_id, ids_, scores, rows);
    }

   private:
    ListRanker ranker_;
    std::vector<std::string_view> ids_;
  };

  RankedQueries(const ListOptions& options, Rankings& rankings) : options_(options), rankings_(rankings) {}

  Ranker ranker() const { return Ranker(options_); }
  bool needs_hashes() const { return false; }

  bool put(std::string_view id, const Outcome& outcome, const Rows& rows, std::size_t first, std::size_t count) {
    if (rankings_.has(id)) return false;
    replace(id, outcome, rows, first, count);
    return true;
  }

  void expect(std::string_view id) {
    if (!rankings_.has(id)) rankings_.put(id, {});
  }

  void replace(std::string_view id, const Outcome& outcome, const Rows& rows, std::size_t first, std::size_t count) {
    rankings_.put(id, {rows.documents(), first, count, outcome});
  }

 private:
  const ListOptions& options_;
  Rankings& rankings_;
};

}  // namespace

RankingsRead read_rankings(const File& file, const TextLayout& layout, const ListOptions& list,
                           const ReadOptions& options) {
  RankingsRead read;
  RankedQueries target(list, read.rankings);
  read.counts = read_segments(file, layout, target, options).counts;
  return read;
}

}  // namespace rankmark
