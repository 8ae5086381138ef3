#pragma once

#include <memory>
#include <string>

#include "app/config/config.h"
#include "ports/queue.h"
#include "ports/sql_session.h"

namespace tanggul::app {

// Where the fleet keeps its files: a folder of its own in the data directory, made by this. Any
// number of processes use it at once.
Expected<std::string> sync_folder(const Config& config);

Expected<std::unique_ptr<ports::Queue>> open_queue(const Config& config);

// As the process of a job is told it: sqlite:///absolute/path, or a server's address.
Expected<std::string> catalog_address(const Config& config);
// `statement`: how long one may take on a server, its rows' way here included; zero: any time.
Expected<std::unique_ptr<ports::SqlSession>> open_catalog(const std::string& address,
                                                          Duration statement = 30s);

}  // namespace tanggul::app
