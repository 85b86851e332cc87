import { OFFICE_SCENARIOS } from "./office-scenarios";
import type { CheckScenario } from "./scenario";
import { STATION_SCENARIOS } from "./station-scenarios";

/** What a model is tried with, in the order in which it is shown. */
export const CHECK_SCENARIOS: readonly CheckScenario[] = [...STATION_SCENARIOS, ...OFFICE_SCENARIOS];
