/** What a scenario of the official suite expects of a server beside the protocol itself. */
export interface ScenarioNeeds {
  tools?: readonly string[];
  prompts?: readonly string[];
  resources?: readonly string[];
  templates?: readonly string[];
  /** A capability that the server declares. */
  capability?: "tools" | "prompts" | "resources" | "logging" | "completions";
  /** An extension that the server declares, by its id. */
  extension?: string;
  /** Tests HTTP itself, not messages. */
  http?: true;
  /** A loopback address without TLS and without credentials. */
  local?: true;
  /** Calls the tool that the server lists first: it must be one of the suite's own. */
  ownFirstTool?: true;
  /** Calls the first tool with a parameter that clients repeat in a header: it must be one of the suite's own. */
  ownHeaderTool?: true;
  /** Leaves requests of the server open, which later scenarios would meet: it runs at the end. */
  leavesRequests?: true;
}

const TASKS = "io.modelcontextprotocol/tasks";
const SKILLS = "io.modelcontextprotocol/skills";

const tools = (...names: string[]): ScenarioNeeds => ({ tools: names, capability: "tools" });
const prompts = (...names: string[]): ScenarioNeeds => ({ prompts: names, capability: "prompts" });
const resources = (...uris: string[]): ScenarioNeeds => ({ resources: uris, capability: "resources" });
const tasks = (...names: string[]): ScenarioNeeds => ({ tools: names, extension: TASKS });

/**
 * Every scenario that Toolroom runs, by its name in the suite. One that is not in this table is skipped, since it could call
 * tools that do something.
 */
export const SCENARIO_NEEDS: Readonly<Record<string, ScenarioNeeds>> = {
  "server-initialize": {},
  "server-session-lifecycle": { http: true },
  "server-stateless": { http: true, leavesRequests: true },
  "logging-set-level": { capability: "logging" },
  ping: {},
  "completion-complete": { prompts: ["test_prompt_with_arguments"], capability: "completions" },
  "tools-list": { capability: "tools" },
  "tools-call-simple-text": tools("test_simple_text"),
  "tools-call-image": tools("test_image_content"),
  "tools-call-audio": tools("test_audio_content"),
  "tools-call-embedded-resource": tools("test_embedded_resource"),
  "tools-call-mixed-content": tools("test_multiple_content_types"),
  "tools-call-with-logging": tools("test_tool_with_logging"),
  "tools-call-error": tools("test_error_handling"),
  "tools-call-with-progress": tools("test_tool_with_progress"),
  "tools-call-sampling": tools("test_sampling"),
  "tools-call-elicitation": tools("test_elicitation"),
  "json-schema-2020-12": tools("json_schema_2020_12_tool"),
  "elicitation-sep1034-defaults": tools("test_elicitation_sep1034_defaults"),
  "elicitation-sep1330-enums": tools("test_elicitation_sep1330_enums"),
  "server-sse-polling": { ...tools("test_reconnection"), http: true },
  "server-sse-multiple-streams": { http: true, capability: "tools" },
  "resources-list": { capability: "resources" },
  "resources-read-text": resources("test://static-text"),
  "resources-read-binary": resources("test://static-binary"),
  "resources-templates-read": { templates: ["test://template/{id}/data"], capability: "resources" },
  "resources-subscribe": resources("test://watched-resource"),
  "resources-unsubscribe": resources("test://watched-resource"),
  "sep-2164-resource-not-found": { capability: "resources" },
  "sep-2640-skills-directory": { extension: SKILLS },
  "sep-2640-skills-enumeration": { extension: SKILLS },
  "sep-2640-skills-manifest": { extension: SKILLS },
  "prompts-list": { capability: "prompts" },
  "prompts-get-simple": prompts("test_simple_prompt"),
  "prompts-get-with-args": prompts("test_prompt_with_arguments"),
  "prompts-get-embedded-resource": prompts("test_prompt_with_embedded_resource"),
  "prompts-get-with-image": prompts("test_prompt_with_image"),
  "dns-rebinding-protection": { http: true, local: true },
  caching: { capability: "tools" },
  "http-header-validation": { http: true, ownFirstTool: true },
  "http-custom-header-server-validation": { http: true, ownHeaderTool: true },
  "tasks-lifecycle": tasks("greet", "slow_compute", "failing_job"),
  "tasks-capability-negotiation": tasks("greet", "slow_compute"),
  "tasks-wire-fields": tasks("slow_compute"),
  "tasks-request-state-removal": tasks("slow_compute"),
  "tasks-mrtr-input": tasks("confirm_delete", "multi_input"),
  "tasks-request-headers": tasks("greet", "slow_compute"),
  "tasks-dispatch-and-envelope": tasks("greet", "slow_compute", "failing_job", "confirm_delete"),
  "tasks-status-notifications": tasks("slow_compute", "failing_job"),
  "tasks-required-task-error": tasks("failing_job"),
  "tasks-mrtr-composition": tasks("test_tool_with_task"),
  "input-required-result-basic-elicitation": tools("test_input_required_result_elicitation"),
  "input-required-result-basic-sampling": tools("test_input_required_result_sampling"),
  "input-required-result-basic-list-roots": tools("test_input_required_result_list_roots"),
  "input-required-result-request-state": tools("test_input_required_result_request_state"),
  "input-required-result-multiple-input-requests": tools("test_input_required_result_multiple_inputs"),
  "input-required-result-multi-round": tools("test_input_required_result_multi_round"),
  "input-required-result-missing-input-response": tools("test_input_required_result_elicitation"),
  "input-required-result-non-tool-request": prompts("test_input_required_result_prompt"),
  "input-required-result-result-type": tools("test_input_required_result_elicitation"),
  "input-required-result-unsupported-methods": {},
  "input-required-result-tampered-state": tools("test_input_required_result_tampered_state"),
  "input-required-result-capability-check": tools("test_input_required_result_capabilities"),
  "input-required-result-ignore-extra-params": tools("test_input_required_result_elicitation"),
  "input-required-result-validate-input": tools("test_input_required_result_elicitation"),
};
