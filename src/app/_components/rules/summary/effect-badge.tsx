import { Badge, type BadgeTone } from "@/app/_ui/badge";
import type { RuleEffectKind, RuleOutcome } from "@/lib/contract/call-rule-words";
import { EFFECT_LABELS, OUTCOME_LABELS } from "@/lib/rules/rule-words";

const TONES: Record<RuleOutcome | RuleEffectKind, BadgeTone> = {
  allow: "ok",
  deny: "bad",
  ask: "warn",
  limit: "warn",
  price: "accent",
  none: "neutral",
  unknown: "neutral",
  redact: "warn",
  block: "bad",
  hook: "accent",
  route: "accent",
};

export function EffectBadge({ effect }: { effect: RuleEffectKind }) {
  return <Badge tone={TONES[effect]}>{EFFECT_LABELS[effect]}</Badge>;
}

export function OutcomeBadge({ outcome }: { outcome: RuleOutcome }) {
  return <Badge tone={TONES[outcome]}>{OUTCOME_LABELS[outcome]}</Badge>;
}
