export interface JsonEditorProps {
  value: string;
  onChange: (value: string) => void;
  label: string;
  invalid?: boolean;
  minLines?: number;
  /** The id of the text that describes the problem. */
  describedBy?: string;
}

/** The state of the plain text field that the editor replaces. */
export interface EditorStart {
  anchor: number;
  head: number;
  focused: boolean;
  scrollTop: number;
}

export interface JsonEditorViewProps extends JsonEditorProps {
  start: EditorStart;
}
