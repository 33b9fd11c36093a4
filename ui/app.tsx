// The frame around every view: which one is shown is the address's to say.
import { textOf } from "koine";

export function App() {
  return <main>Koine {textOf({ parts: [] })}</main>;
}
