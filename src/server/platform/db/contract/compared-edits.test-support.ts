import { expect } from "vitest";
import type { LastEdit } from "../../../../lib/contract/last-edit";
import type { Edit } from "../../shared/edit-conflict";

export const ADA = { id: "ada", name: "Ada" };

interface Edited {
  edit(edit: Edit): Promise<{ lastEdit?: LastEdit | undefined }>;
  remove(revision?: number): Promise<unknown>;
}

/** Something at revision 1: of edits at once that saw it, one is stored, and the others name the user whose it was. */
export async function expectComparedEdits({ edit, remove }: Edited): Promise<void> {
  const settled = await Promise.allSettled([1, 2, 3].map(() => edit({ by: ADA, revision: 1 })));
  expect(settled.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  const refused = {
    code: "CONFLICT",
    message: expect.stringMatching(/^Ada changed the .* \(revision 2\)/),
    problems: [{ path: "revision" }],
  };
  for (const each of settled) if (each.status === "rejected") expect(each.reason).toMatchObject(refused);
  await expect(remove(1)).rejects.toMatchObject(refused);
  expect((await edit({ by: ADA, revision: 2 })).lastEdit).toMatchObject({ revision: 3, by: "Ada" });
  // Without a revision it overwrites.
  expect((await edit({})).lastEdit).toMatchObject({ revision: 4, by: null });
  await remove(4);
  await expect(edit({ revision: 4 })).rejects.toMatchObject({ code: "NOT_FOUND" });
}
