// A placeholder that is to be replaced by the view of this folder.
export function TranslateView(_: object) {
  return <p>…</p>;
}
export default TranslateView;
