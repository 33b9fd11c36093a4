// What every view is made of.
export * from "./button.tsx";
export * from "./copy-button.tsx";
export * from "./dialog.tsx";
export * from "./disclosure.tsx";
export * from "./format.ts";
export * from "./hidden.tsx";
export * from "./icons.tsx";
export * from "./kept.ts";
export * from "./menu.tsx";
export * from "./save.ts";
export * from "./shortcuts.ts";
export * from "./spinner.tsx";
export * from "./tabs.tsx";
export * from "./time.tsx";
export * from "./toasts.tsx";
