import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Permission } from "@/lib/contract/access";

const FOLDER = import.meta.dirname;

/** Where the controls of each procedure are, relative to this folder. A procedure that is not here fails the first test. */
const CONTROLS: Record<Permission | "edit, by itself" | "own page" | "command", Record<string, string>> = {
  read: {
    "changes.recheck alerts.markRead rules.explain": "",
    "bundles.export sharing.export sharing.preview": "",
    "interactions.validate servers.checkSettings servers.parseImport": "",
    "lenses.example lenses.preview toolsets.preview": "",
    "tools.checkDefinition tools.setFavorite tools.validateArguments suites.previewReplay": "",
  },
  // Everyone may: only a token needs a scope.
  own: {
    "account.changePassword account.endAllSessions account.endSession account.rename account.revokeClient": "",
    "credentials.remove tokens.create tokens.revoke": "",
  },
  run: {
    "credentials.save credentials.test": "servers/detail/own-connection.tsx",
    "bundles.open": "sharing/import-section.tsx",
    "executions.run": "tools/runner/runner.tsx",
    "executions.cancel": "tools/runner/runner.tsx executions/result/running-panel.tsx",
    "executions.replay": "executions/summary/replay-button.tsx",
    "executions.setPinned": "executions/detail/execution-view.tsx executions/list/execution-table.tsx",
    "approvals.decide": "approvals/detail/open-approval.tsx approvals/detail/approval-editor.tsx",
    "webhooks.confirmChannel webhooks.leaveChannel approvals.dismissLinkUses": "approvals/link/link-notices.tsx",
    "approvals.decideMany": "approvals/list/bulk-bar.tsx",
    "approvals.allowInRun": "approvals/detail/after-decision.tsx",
    "approvals.revokeAllowance": "approvals/summary/run-allowances.tsx",
    "interactions.answer":
      "interactions/question-card.tsx interactions/sampling-question.tsx interactions/refusal-buttons.tsx",
    "runs.start runs.send": "playground/composer.tsx playground/empty-conversation.tsx",
    "runs.stop": "playground/composer.tsx",
    "runs.resume": "runs/detail/turn-view.tsx",
    "runs.rerun":
      "playground/playground-header.tsx runs/detail/rerun-dialog.tsx runs/detail/step-view.tsx runs/detail/turn-view.tsx",
    "apps.open apps.callTool apps.request": "apps/app-panel.tsx apps/run-app.tsx",
    "content.getPrompt": "servers/detail/offers/prompt-view.tsx",
    "content.readResource": "servers/detail/offers/resource-view.tsx",
    "views.create views.update": "executions/list/save-view-dialog.tsx executions/list/opened-menus.tsx",
    "views.delete": "executions/list/opened-menus.tsx",
    "suites.run":
      "suites/test-suite/test-suite-view.tsx suites/eval-suite/eval-suite-view.tsx suites/eval-suite/start-run-dialog.tsx suites/eval-suite/edited-runs.tsx",
    "suites.cancelRun": "suites/run/test-run.tsx suites/run/eval-run.tsx",
    "suites.startReplay": "suites/actions/replay-dialog.tsx executions/list/opened-menus.tsx",
  },
  edit: {
    "agents.addTools": "agents/agent-tools-card.tsx",
    "alerts.createRule": "alerts/alerts-view.tsx alerts/rule-dialog.tsx",
    "alerts.updateRule": "alerts/alerts-view.tsx alerts/rule-dialog.tsx",
    "alerts.deleteRule": "alerts/alerts-view.tsx",
    "rules.create": "rules/list/rules-view.tsx rules/form/save-rule.ts",
    "rules.update": "rules/list/rule-columns.tsx rules/form/save-rule.ts",
    "rules.move": "rules/list/rule-columns.tsx",
    "rules.delete": "rules/list/rules-view.tsx",
    "rules.resetUsage": "rules/list/limit-usage.tsx",
    "ruleCases.create": "rules/cases/case-dialog.tsx rules/cases/case-list.tsx rules/cases/save-case-button.tsx",
    "ruleCases.update ruleCases.delete": "rules/cases/case-dialog.tsx rules/cases/case-list.tsx",
    "suites.addEval suites.updateEval": "suites/eval-suite/eval-dialog.tsx suites/eval-suite/eval-suite-view.tsx",
    "suites.deleteEval": "suites/eval-suite/eval-suite-view.tsx",
    "suites.dismiss": "suites/eval-suite/candidate-list.tsx",
    "tools.create": "tools/editor/tool-editor.tsx tools/list/tools-view.tsx executions/actions/call-actions.tsx",
    "tools.update": "tools/editor/tool-editor.tsx tools/actions/tool-menu.tsx",
    "tools.delete tools.restore tools.setEnabled": "tools/actions/tool-menu.tsx",
    "tools.restoreVersion": "tools/versions/version-detail.tsx",
    "sharing.import": "sharing/import-section.tsx",
    "servers.decideChanges": "changes/change-card.tsx changes/review-view.tsx",
    "changes.decideSkills": "changes/skill-change-card.tsx",
    "changes.cancelReplay changes.setReplayable changes.startReplay": "changes/replay-section.tsx",
    "tools.setDeprecation": "tools/actions/tool-menu.tsx",
    "tools.setLens": "tools/lens/lens-tab.tsx",
    "tools.setOwner": "tools/detail/definition-summary.tsx",
    "tools.setApproval": "approvals/summary/approval-select.tsx servers/detail/server-tool-row.tsx",
    "servers.setApproval": "servers/detail/tools-tab.tsx",
    "servers.setChangedTools": "changes/review-view.tsx",
    "conformance.start conformance.cancel": "servers/detail/conformance/conformance-tab.tsx",
    "servers.reconnect":
      "servers/detail/server-view.tsx servers/list/attention-note.tsx servers/summary/server-menu.tsx",
    "servers.startSignIn":
      "servers/detail/server-view.tsx servers/list/attention-note.tsx executions/result/failure-view.tsx",
    "servers.signOut": "servers/summary/server-menu.tsx",
    "cassettes.create": "executions/list/opened-menus.tsx cassettes/record-dialog.tsx",
    "cassettes.import": "cassettes/cassettes-view.tsx",
    "cassettes.update cassettes.delete": "cassettes/cassette-view.tsx",
    "toolsets.create toolsets.update": "toolsets/form/toolset-form.tsx",
    "ownSkills.create ownSkills.update": "skills/skill-editor.tsx",
    "ownSkills.import": "skills/import-skill.tsx",
    "ownSkills.restore": "skills/version-detail.tsx",
    "ownSkills.delete": "skills/skill-view.tsx",
    "tools.liftApproval": "approvals/list/approvals-view.tsx",
    "toolsets.delete": "toolsets/form/edit-toolset-view.tsx",
    "suites.addTest": "suites/actions/save-test-dialog.tsx executions/actions/call-actions.tsx",
    "suites.create suites.import": "suites/list/suites-view.tsx suites/list/new-suite-dialog.tsx",
    "suites.update":
      "suites/test-suite/test-suite-view.tsx suites/summary/suite-dialog.tsx suites/test-suite/test-dialog.tsx",
    "suites.delete": "suites/summary/delete-suite.tsx",
  },
  command: {
    "servers.create": "servers/form/server-form.tsx",
    "servers.describeDocument": "servers/form/openapi-fields.tsx",
    "servers.import": "servers/import/use-import.ts",
    "servers.update": "servers/form/server-form.tsx servers/detail/server-view.tsx servers/detail/settings-tab.tsx",
    "servers.setEnabled": "servers/detail/server-view.tsx servers/summary/server-menu.tsx",
    "servers.delete servers.restore": "servers/summary/server-menu.tsx",
  },
  administer: {
    "registry.save": "registry/registry-dialog.tsx",
    "rules.testHook rules.replaceSecret": "rules/form/hook-actions.tsx",
    "agents.setEndpoint": "agents/agent-tools-card.tsx",
    "executions.delete": "executions/list/delete-dialog.tsx executions/list/opened-menus.tsx",
    "system.resume": "frame/paused-banner.tsx",
    "accessRules.save": "accounts/people/people-view.tsx",
    "system.deleteDamaged": "tools/summary/load-problem-list.tsx",
    "account.claimLocalRecords": "accounts/account/account-view.tsx",
    "models.createProvider": "models/list/models-view.tsx models/form/provider-form.tsx",
    "models.updateProvider": "models/list/provider-card.tsx models/form/provider-form.tsx",
    "models.deleteProvider": "models/list/provider-card.tsx models/list/models-view.tsx",
    "models.testProvider": "models/list/provider-card.tsx",
    "jobs.runNow": "storage/jobs-section.tsx",
  },
  // Sent without a control.
  "edit, by itself": {
    "rules.markReviewed": "rules/results/rule-results.tsx",
  },
  // The whole page is for admins.
  "own page": {
    "people.invite people.remove people.switchOn people.setRole people.setDisabled": "accounts/people/people-view.tsx",
    "people.createReset people.endSessions people.revokeInvitation people.revokeTokens people.unlock":
      "accounts/people/people-view.tsx",
    "serviceAccounts.create serviceAccounts.update serviceAccounts.setRole serviceAccounts.delete serviceAccounts.createToken":
      "accounts/people/people-view.tsx",
    "scim.createToken scim.revokeToken scim.saveRoles": "accounts/people/people-view.tsx",
    "webhooks.create webhooks.update webhooks.delete webhooks.rotateSecret webhooks.test webhooks.retry":
      "webhooks/webhooks-view.tsx",
    "retention.preview retention.save retention.sweepNow storage.backUp storage.deleteCopy": "storage/storage-view.tsx",
  },
};

/** The mark that the file of a control has to contain. */
const MARKS: Record<keyof typeof CONTROLS, RegExp> = {
  read: /^/,
  own: /^/,
  run: /\bneeds(=|: )"run"/,
  edit: /\bneeds(=|: )"edit"|\? "edit" : "administer"|\? "administer" : "edit"|permissionForRules\(/,
  command: /permissionForServer\(|\? "administer" : "run"/,
  administer: /\bneeds(=|: )"administer"/,
  "edit, by itself": /useDenial\("edit"\)/,
  "own page": /useDenial\("administer"\)/,
};

/** How a procedure is named where it is sent: to the client, to `useAction` or to a button that cancels. */
const SENT =
  /\b(\w+\.\w+)\.(?:mutationOptions|mutate)\b|\buseAction\(\s*(?:trpc\.)?(\w+\.\w+),|\bmutation=\{trpc\.(\w+\.\w+)\}/g;

const sources = readdirSync(FOLDER, { recursive: true, encoding: "utf8" }).filter(
  (path) => /\.tsx?$/.test(path) && !/\.(test|test-support)\.tsx?$/.test(path),
);
const readText = (path: string): string => readFileSync(join(FOLDER, path), "utf8");

describe("a control that changes something", () => {
  it("is known for every mutation that the console sends", () => {
    const sent = sources.flatMap((path) => [...readText(path).matchAll(SENT)].map((found) => found.slice(1).join("")));
    const known = new Set(
      Object.values(CONTROLS).flatMap((each) => Object.keys(each).flatMap((key) => key.split(" "))),
    );
    expect(new Set(sent).size).toBeGreaterThan(90);
    expect(sent.filter((name) => !known.has(name))).toEqual([]);
  });

  it("names the permission that it needs", () => {
    const unmarked = Object.entries(CONTROLS).flatMap(([kind, files]) =>
      Object.values(files)
        .flatMap((paths) => paths.split(" ").filter(Boolean))
        .filter((path) => !MARKS[kind as keyof typeof CONTROLS].test(readText(path)))
        .map((path) => `${path} (${kind})`),
    );
    expect(unmarked).toEqual([]);
  });
});
