import type { TrafficVerdict } from "@/lib/contract/change-verdict";
import type { HeldStatus } from "@/lib/contract/held-change";

export const STATUS_WORDS: Record<HeldStatus, string> = {
  open: "waiting",
  blocked: "blocked",
  ignored: "ignored",
  applied: "in use",
};

export const CLASS_WORDS: Record<keyof TrafficVerdict["counts"], string> = {
  accepted: "accepted",
  rejected: "rejected",
  alreadyInvalid: "already invalid",
  undecidable: "undecidable",
};

export const CLASS_HINTS: Record<keyof TrafficVerdict["counts"], string> = {
  accepted: "The changed tool accepts these arguments",
  rejected: "The approved tool accepts these arguments, and the changed one does not",
  alreadyInvalid: "The approved tool refuses these arguments too",
  undecidable: "Can't tell: the value is masked or too large",
};
