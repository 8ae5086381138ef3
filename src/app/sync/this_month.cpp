#include "app/sync/this_month.h"

#include <chrono>

namespace tanggul::app {

readers::arxiv::Month this_month() {
  const std::chrono::year_month_day today(
      std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now()));
  return {static_cast<int>(today.year()), static_cast<int>(static_cast<unsigned>(today.month()))};
}

}  // namespace tanggul::app
