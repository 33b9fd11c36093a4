// Starts the page: applies the stored theme and renders `App` into the element of index.html.
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { restoreTheme } from "./shell/theme.ts";
import "./theme.css";

const root = document.getElementById("page");
if (root === null) throw new Error("index.html has no element #page.");
restoreTheme();
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
