#pragma once

#include <vector>

#include "measure.h"
#include "table.h"

namespace tanggul::bench {

// The parts of the report, each a story of its own. Those that compare every cache:
std::vector<Table> measure_hit_cost(const Options& options);     // hit_cost.cpp
std::vector<Table> measure_hit_matrix(const Options& options);   // hit_matrix.cpp
void measure_latency(const Options& options, Table& musts);      // latency.cpp
void measure_threads(const Options& options, Table& musts);      // threads.cpp
void measure_idle_memory(const Options& options, Table& musts);  // idle_memory.cpp
void measure_cold_start(const Options& options, Table& musts);   // cold_start.cpp
void measure_full_store(const Options& options, Table& musts);   // full_store.cpp

// herd.cpp:
void measure_misses(const Options& options, Table& musts);
void measure_leaver(const Options& options, Table& musts);
void measure_all_leave(const Options& options, Table& musts);
void measure_unique_keys(const Options& options, Table& musts);
// outage.cpp:
void measure_waves_of_503(const Options& options, Table& musts);
void measure_never_answers(const Options& options, Table& musts);
void measure_cut_bodies(const Options& options, Table& musts);
void measure_drip(const Options& options, Table& musts);
void measure_breaker(const Options& options, Table& musts);
// streaming.cpp:
void measure_slow_reader(const Options& options, Table& musts);
void measure_slow_reader_to_the_end(const Options& options, Table& musts);
void measure_late_joiner(const Options& options, Table& musts);
// bad_hour.cpp:
void measure_isolation(const Options& options, Table& musts);
void measure_gate(const Options& options, Table& musts);
// hot_key.cpp:
void measure_hot_key(const Options& options, Table& musts);

// A database behind us, sql.cpp:
Table sql_table();
void measure_sql_herd(const Options& options, Table& musts);
void measure_sql_leaver(const Options& options, Table& musts);
void measure_sql_hangs(const Options& options, Table& musts);
void measure_sql_failing(const Options& options, Table& musts);
void measure_sql_hot(const Options& options, Table& musts);
void measure_sql_ids(const Options& options, Table& musts);

// Real, large and hostile documents, readers.cpp:
Table readers_table();
void measure_readers(const Options& options, Table& table);

// Two processes on a queue in one file, queue.cpp:
Table queue_table();
void measure_queue(const Options& options, Table& table);

// The program as a worker, fleet.cpp:
Table fleet_table();
void measure_fleet(const Options& options, Table& table);

// Three of our nodes on one Redis, cluster_fetch.cpp:
void measure_cluster_cold_key(const Options& options, Table& musts);
void measure_cluster_stream(const Options& options, Table& musts);
void measure_cluster_expiry(const Options& options, Table& musts);
void measure_cluster_wake(const Options& options, Table& musts);
// cluster_cost.cpp:
void measure_cluster_hit(const Options& options, Table& musts);
void measure_cluster_lease(const Options& options, Table& musts);
// cluster_faults.cpp:
void measure_cluster_redis_dies(const Options& options, Table& musts);
void measure_cluster_limits(const Options& options, Table& musts);
void measure_cluster_dead_origin(const Options& options, Table& musts);

// What a call of the library costs, library_cost.cpp:
std::vector<Table> measure_library(const Options& options);

}  // namespace tanggul::bench
