export interface JsonEditorProps {
  value: string;
  onChange: (value: string) => void;
  label: string;
  invalid?: boolean;
  minLines?: number;
  /** Id of the text that says what is wrong. */
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
