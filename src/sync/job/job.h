#pragma once

#include "ports/cloner.h"
#include "ports/web.h"
#include "readers/arxiv/id.h"
#include "sync/catalog/catalog.h"
#include "sync/work/job_order.h"
#include "sync/work/job_report.h"

namespace tanggul::sync {

// What a job is done with.
struct JobTools {
  ports::Web& web;
  ports::Cloner& cloner;
  Catalog& catalog;
  readers::arxiv::Month latest;  // now: no paper has a later identifier
};

// One job: look at the place, see whether its head is new, clone, read, write to the catalog. The
// catalog has it all, or nothing, when this comes back; doing it twice changes nothing. Blocks; one
// thread's. What is out of memory comes out as std::bad_alloc.
JobReport do_job(const JobOrder& order, const JobTools& tools);

}  // namespace tanggul::sync
