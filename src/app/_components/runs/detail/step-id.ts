/** The fragment that leads to a step of a conversation. */
export const toStepId = (step: number): string => `step-${step}`;
