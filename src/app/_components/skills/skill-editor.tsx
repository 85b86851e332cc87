import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { CheckPanel } from "@/app/_kit/check-panel";
import { DraftNotice } from "@/app/_kit/draft-notice";
import { EditConflict } from "@/app/_kit/edit-conflict";
import { EditorForm } from "@/app/_kit/editor-form";
import type { DraftState } from "@/app/_kit/use-draft";
import { useLeaveGuard } from "@/app/_kit/use-leave-guard";
import { toEdited, useSave } from "@/app/_kit/use-save";
import { client, trpc } from "@/app/_trpc/client";
import type { OwnSkill } from "@/lib/contract/own-skill";
import { SKILL_FILE } from "@/lib/skill-files";
import { FileEditor } from "./file-editor";
import { FileList } from "./file-list";
import { DRAFT_FILES, findDraftProblems, type SkillDraft, toDraft, toInput } from "./skill-draft";
import { SkillFacts } from "./skill-facts";

interface SkillEditorProps {
  held: DraftState<SkillDraft>;
  /** The stored skill; null for a new one. */
  skill: OwnSkill | null;
}

/** The files of a skill: a list on the left, the chosen one beside it. Saving makes the next version. */
export function SkillEditor({ held, skill }: SkillEditorProps) {
  const { draft } = held;
  const [chosen, setChosen] = useState(SKILL_FILE);
  const saving = useSaveSkill(held, skill);
  const found = findDraftProblems(draft);
  const refused = saving.problems.filter(({ path }) => path !== "");
  const problems = [...found, ...(saving.refusal?.input === draft ? refused : [])];
  const open = draft.files.find(({ path }) => path === chosen) ?? draft.files[0];
  useLeaveGuard(held.dirty && !saving.pending);
  return (
    <EditorForm
      label={skill === null ? "New skill" : `Files of ${skill.name}`}
      needs="edit"
      submitLabel={skill === null ? "Create skill" : "Save version"}
      cancelPath="/skills"
      pending={saving.pending}
      refusal={saving.refusal?.input === draft ? saving.refusal.message : null}
      onSubmit={() => {
        if (found.length === 0 && !saving.pending) saving.save(draft);
      }}
      check={
        <CheckPanel
          subject="skill"
          current
          failure={null}
          problems={problems}
          total={problems.length}
          untouched={false}
          onGoTo={(path) => setChosen(path)}
        >
          <SkillFacts skill={skill} draft={draft} />
        </CheckPanel>
      }
      notice={
        <>
          <DraftNotice held={held} />
          <EditConflict
            held={held}
            fields={DRAFT_FILES}
            subject="skill"
            lastEdit={skill?.lastEdit}
            pending={saving.pending}
          />
        </>
      }
    >
      <div className="grid min-w-0 items-start gap-4 md:grid-cols-[14rem_minmax(0,1fr)]">
        <FileList draft={draft} chosen={open?.path ?? ""} onChoose={setChosen} onChange={held.update} />
        {open !== undefined && (
          <FileEditor
            key={open.path}
            file={open}
            stored={skill?.files.find(({ path }) => path === open.path)}
            onChange={(next) => {
              held.update((before) => ({
                files: before.files.map((file) => (file.path === open.path ? next : file)),
              }));
              setChosen(next.path);
            }}
          />
        )}
      </div>
    </EditorForm>
  );
}

/** Creates the skill, or makes the draft its next version. */
function useSaveSkill(held: DraftState<SkillDraft>, skill: OwnSkill | null) {
  const queryClient = useQueryClient();
  const editing = toEdited(skill?.name ?? null, held.base);
  return useSave<SkillDraft, OwnSkill>({
    send: (draft) =>
      editing === null
        ? client.ownSkills.create.mutate({ files: toInput(draft) })
        : client.ownSkills.update.mutate({ ...editing, files: toInput(draft) }),
    onSaved: async (saved) => {
      held.settle(toDraft(saved.files));
      queryClient.setQueryData(trpc.ownSkills.get.queryKey({ name: saved.name }), saved);
      void queryClient.invalidateQueries({ queryKey: trpc.ownSkills.list.queryKey() });
      void queryClient.invalidateQueries({ queryKey: trpc.ownSkills.versions.queryKey({ name: saved.name }) });
    },
    onConflict: () => void queryClient.invalidateQueries({ queryKey: trpc.ownSkills.pathKey() }),
    toast: ({ name, version }) => (editing === null ? `${name} created` : `${name} saved as version ${version}`),
    ...(editing === null && { openPath: ({ name }) => `/skills/${encodeURIComponent(name)}` }),
  });
}
