// A placeholder that is to be replaced by the view of this folder.
export function InspectView(_: { threadId: string; at?: string | undefined }) {
  return <p>…</p>;
}
export default InspectView;
