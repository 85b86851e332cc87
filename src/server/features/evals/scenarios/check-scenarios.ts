import { OFFICE_SCENARIOS } from "./office-scenarios";
import type { CheckScenario } from "./scenario";
import { STATION_SCENARIOS } from "./station-scenarios";

/** The scenarios in the order in which they are shown. */
export const CHECK_SCENARIOS: readonly CheckScenario[] = [...STATION_SCENARIOS, ...OFFICE_SCENARIOS];
