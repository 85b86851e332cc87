import type { ChatContent, FunctionCallContent } from "../../../lib/contract/chat";
import type { RunEvent } from "../../../lib/contract/run";
import type { ToolDefinition } from "../../../lib/contract/tool-definition";
import { isJsonText } from "../../../lib/json/is-json-text";
import { getMarks } from "../../../lib/schema/sensitive/marks";
import { CallMask } from "../../engine/masking/call-mask";
import { MaskedValues } from "../../engine/masking/masked-values";
import type { Masking } from "../../engine/ports";

export interface RunMaskPorts {
  /** Absent where nothing is masked: tests. */
  masking?: Masking | undefined;
  tools: { get(name: string): ToolDefinition | undefined };
}

/** Turns what a run's model and tools say into what is stored and shown. The model gets the clear values. */
export class RunMask {
  /** The values of all its calls: a model may repeat in any later response what it received in an earlier one. */
  readonly values = new MaskedValues();

  constructor(private readonly ports: RunMaskPorts) {}

  event(event: RunEvent): RunEvent {
    return this.#clean(this.#withMaskedParts(event));
  }

  /** A call as the log has it. */
  call(call: FunctionCallContent): FunctionCallContent {
    return this.#clean(this.#maskCall(call));
  }

  /** The beginning of a text that a model is writing: what may become a secret is left out. */
  begun(text: string): string {
    const { masking } = this.ports;
    const clean = this.values.inText(text, true);
    return masking === undefined ? clean : masking.inText(clean, true);
  }

  /** Whether the arguments of a tool's calls are shown only once they are complete and masked. */
  hidesArguments(toolName: string): boolean {
    const definition = this.ports.tools.get(toolName);
    return this.ports.masking !== undefined && definition !== undefined && getMarks(definition).arguments !== null;
  }

  #withMaskedParts(event: RunEvent): RunEvent {
    switch (event.type) {
      case "model_finished": {
        const { message } = event;
        return { ...event, message: { ...message, contents: message.contents.map((part) => this.#maskContent(part)) } };
      }
      case "tool_started":
        return { ...event, argumentsText: this.#maskArguments(event.name, event.argumentsText) };
      case "tool_finished": {
        const { result, editedArguments } = event.result;
        const masked = { ...event.result };
        if (result !== undefined) masked.result = this.#maskResult(event.name, result);
        if (editedArguments !== undefined) masked.editedArguments = this.#maskArguments(event.name, editedArguments);
        return { ...event, result: masked };
      }
      default:
        return event;
    }
  }

  #maskContent(content: ChatContent): ChatContent {
    return content.type === "function_call" ? this.#maskCall(content) : content;
  }

  #maskCall(call: FunctionCallContent): FunctionCallContent {
    if (this.ports.tools.get(call.name) !== undefined && !this.hidesArguments(call.name)) return call;
    if (typeof call.arguments === "string") {
      return { ...call, arguments: this.#maskArguments(call.name, call.arguments) };
    }
    return { ...call, arguments: JSON.parse(this.#maskArguments(call.name, JSON.stringify(call.arguments))) };
  }

  #maskArguments(toolName: string, text: string): string {
    const { masking, tools } = this.ports;
    const definition = tools.get(toolName) ?? null;
    if (masking === undefined || (definition !== null && getMarks(definition).arguments === null)) return text;
    // A model's text may be cut off or malformed: then no part of it can be distinguished from a secret.
    if (!isJsonText(text)) return definition === null ? text : JSON.stringify("[redacted]");
    return new CallMask(definition, masking, { values: this.values }).argumentsText(text);
  }

  /** The text that a model got: of a tool that is no server's it is the JSON of its result. */
  #maskResult(toolName: string, text: string): string {
    const mask = this.#getMask(toolName);
    if (mask === null || getMarks(mask.definition).results === null || !isJsonText(text)) return text;
    return mask.definition.implementation.type === "mcp" ? text : mask.by.resultText(text);
  }

  #getMask(toolName: string): { by: CallMask; definition: ToolDefinition } | null {
    const { masking, tools } = this.ports;
    const definition = tools.get(toolName);
    if (masking === undefined || definition === undefined) return null;
    return { by: new CallMask(definition, masking, { values: this.values }), definition };
  }

  #clean<T>(value: T): T {
    const clean = this.values.inValue(value);
    return this.ports.masking?.inValue(clean) ?? clean;
  }
}
