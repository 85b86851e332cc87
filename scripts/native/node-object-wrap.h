// Included in place of <node_object_wrap.h> when SQLite's binding is compiled. Since Node 24.19 that header registers a hook for each
// wrapped object and removes it in the destructor, which ends the process when the garbage collector runs while no JavaScript does.
// better-sqlite3 12 closes its databases by a hook of its own. Version 13, which does not use the header, needs Node 22.
#pragma once
#include <node.h>
#define AddEnvironmentCleanupHook(isolate, hook, argument) static_cast<void>(0)
#define RemoveEnvironmentCleanupHook(isolate, hook, argument) static_cast<void>(0)
#include <node_object_wrap.h>
#undef AddEnvironmentCleanupHook
#undef RemoveEnvironmentCleanupHook
