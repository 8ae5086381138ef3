#pragma once

#include "app/config/origin_config.h"

namespace tanggul::app {

// The keys that only kind sql has, over what `draft` holds. What is wrong with them is in the
// section's report.
void read_sql(Section& section, OriginDraft& draft);

// What the contract says where neither the origin nor `defaults` does, and the kind, once the whole
// origin has been read.
void complete_sql(Section& section, OriginDraft& draft);

// A database's URL as it may be shown: without a password.
std::string mask_database(std::string url);

}  // namespace tanggul::app
