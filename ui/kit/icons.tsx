// Draws the icons of the page: SVG paths on a 24-pixel grid in the text color. Icons are hidden from screen readers, so
// a control that has only an icon needs a label.
import { memo } from "react";

/** Returns the SVG path of a circle, because each icon is one path and cannot contain other shapes. */
function circle(x: number, y: number, r: number): string {
  return `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`;
}

function box(x: number, y: number, width: number, height: number, r = 2): string {
  const [w, h] = [width - 2 * r, height - 2 * r];
  const corner = (dx: number, dy: number): string => `a${r} ${r} 0 0 1 ${dx} ${dy}`;
  return `M${x + r} ${y}h${w}${corner(r, r)}v${h}${corner(-r, r)}h${-w}${corner(-r, -r)}v${-h}${corner(r, -r)}z`;
}

const dot = (x: number, y: number): string => `M${x} ${y}v.01`;

const ICON_PATHS = {
  plus: "M12 5v14M5 12h14",
  search: `${circle(10.75, 10.75, 6.25)}M15.5 15.5L20 20`,
  send: "M12 19V5.5M6 11l6-6 6 6",
  stop: box(7, 7, 10, 10, 1.5),
  copy: `${box(9, 9, 11, 11)}M15 6.5V6a2 2 0 0 0-2-2H6a2 2 0 0 0-2 2v7a2 2 0 0 0 2 2h.5`,
  check: "M5 12.5l4.5 4.5L19 7.5",
  edit: "M4 20l1-4L16.3 4.7a1.8 1.8 0 0 1 2.6 0l.4.4a1.8 1.8 0 0 1 0 2.6L8 19l-4 1zM14 7l3 3",
  refresh: "M19 12a7 7 0 1 1-2.1-5L19 9M19 4.5V9h-4.5",
  fork: `${circle(7, 5.5, 2)}${circle(17, 5.5, 2)}${circle(12, 18.5, 2)}M7 7.5V9a3 3 0 0 0 3 3h4a3 3 0 0 0 3-3V7.5M12 12v4.5`,
  branch: `${circle(7, 5.5, 2)}${circle(7, 18.5, 2)}${circle(17, 8.5, 2)}M7 7.5v9M17 10.5c0 4-6 2.5-9 5`,
  trash:
    "M4.5 7h15M9.5 7V5.5A1.5 1.5 0 0 1 11 4h2a1.5 1.5 0 0 1 1.5 1.5V7M6.5 7l.8 11.2a2 2 0 0 0 2 1.8h5.4a2 2 0 0 0 2-1.8L17.5 7M10.5 11v5M13.5 11v5",
  menu: "M4 7h16M4 12h16M4 17h16",
  close: "M6.5 6.5l11 11M17.5 6.5l-11 11",
  "chevron-down": "M6.5 9.5l5.5 5.5 5.5-5.5",
  "chevron-up": "M6.5 14.5L12 9l5.5 5.5",
  "chevron-right": "M9.5 6.5l5.5 5.5-5.5 5.5",
  "chevron-left": "M14.5 6.5L9 12l5.5 5.5",
  sun: `${circle(12, 12, 3.75)}M12 3v1.8M12 19.2V21M3 12h1.8M19.2 12H21M5.6 5.6l1.3 1.3M17.1 17.1l1.3 1.3M5.6 18.4l1.3-1.3M17.1 6.9l1.3-1.3`,
  moon: "M19.5 14.3A8 8 0 0 1 9.7 4.5a8 8 0 1 0 9.8 9.8z",
  monitor: `${box(3.5, 4.5, 17, 11.5)}M9 19.5h6M12 16v3.5`,
  key: `${circle(8, 15.5, 3.75)}M10.7 12.8L19.5 4M15.5 8l3 3`,
  code: "M8.5 7.5L4 12l4.5 4.5M15.5 7.5L20 12l-4.5 4.5",
  translate: "M4 8h14.5M15 4.5L18.5 8 15 11.5M20 16H5.5M9 12.5L5.5 16 9 19.5",
  inspect: `${box(3.5, 4.5, 17, 15)}M12 4.5v15M6.5 9H9M6.5 12H9M15 9h2.5M15 12h2.5`,
  tool: "M19.7 7.3a4.6 4.6 0 0 1-6.2 5.3l-5.7 5.7a1.9 1.9 0 0 1-2.7 0l-.3-.3a1.9 1.9 0 0 1 0-2.7l5.7-5.7a4.6 4.6 0 0 1 5.3-6.2l-2.5 2.5.5 3.4 3.4.5z",
  brain:
    "M12 5.7a2.8 2.8 0 0 0-5.5.8A3.2 3.2 0 0 0 4.8 12a3.3 3.3 0 0 0 1.7 5A2.9 2.9 0 0 0 12 18zM12 5.7a2.8 2.8 0 0 1 5.5.8A3.2 3.2 0 0 1 19.2 12a3.3 3.3 0 0 1-1.7 5A2.9 2.9 0 0 1 12 18zM8 11.5c1.2 0 2 .5 2.5 1.5M16 11.5c-1.2 0-2 .5-2.5 1.5",
  warning: `M12 4.5l8.5 15h-17zM12 10v4.5${dot(12, 17)}`,
  info: `${circle(12, 12, 8.25)}M12 11.5V16${dot(12, 8.2)}`,
  error: `${circle(12, 12, 8.25)}M12 7.8v5${dot(12, 16)}`,
  paperclip:
    "M19.5 11.5l-7.6 7.6a4.6 4.6 0 0 1-6.5-6.5l7.7-7.7a3.05 3.05 0 0 1 4.3 4.3l-7.6 7.6a1.5 1.5 0 0 1-2.2-2.1l6.8-6.8",
  image: `${box(3.5, 4.5, 17, 15)}${circle(8.5, 9.5, 1.5)}M4 17l5-4.5 3.5 3 3.5-4 4.5 4.5`,
  file: "M6.5 3.5h7L18 8v10.5a2 2 0 0 1-2 2H8a2 2 0 0 1-2-2V4zM13.5 3.5V8H18M9 12.5h6M9 16h4",
  audio: "M4 10.5v3M8 7.5v9M12 4.5v15M16 8v8M20 10.5v3",
  video: `${box(3.5, 6.5, 11.5, 11)}M15 11l5.5-3v8L15 13`,
  external:
    "M13.5 5H19v5.5M19 5l-8.5 8.5M17 14v3.5a1.5 1.5 0 0 1-1.5 1.5h-9A1.5 1.5 0 0 1 5 17.5v-9A1.5 1.5 0 0 1 6.5 7H10",
  download: "M12 4.5V15M7.5 11l4.5 4.5 4.5-4.5M5 19.5h14",
  clock: `${circle(12, 12, 8.25)}M12 7.5V12l3 2`,
  coin: `${circle(12, 12, 8.25)}M14.5 9.5C14 8.6 13.1 8.2 12 8.2c-1.4 0-2.5.7-2.5 1.9 0 2.6 5.1 1.3 5.1 3.9 0 1.2-1.1 1.9-2.6 1.9-1.2 0-2.1-.5-2.6-1.4M12 6.8v1.4M12 15.9v1.4`,
  user: `${circle(12, 8, 3.5)}M5 19.5c.8-3.3 3.5-5 7-5s6.2 1.7 7 5`,
  spark: "M12 3.5c.7 4.8 3.7 7.8 8.5 8.5-4.8.7-7.8 3.7-8.5 8.5-.7-4.8-3.7-7.8-8.5-8.5 4.8-.7 7.8-3.7 8.5-8.5z",
  dots: `${dot(6, 12)}${dot(12, 12)}${dot(18, 12)}`,
  play: "M8 5.5L18.5 12 8 18.5z",
  queue: "M4 7h16M4 12h10M4 17h7M17.5 13.5v6M14.5 16.5h6",
  link: "M10.2 13.8a4 4 0 0 0 5.6 0l3-3a4 4 0 0 0-5.6-5.6l-1 1M13.8 10.2a4 4 0 0 0-5.6 0l-3 3a4 4 0 0 0 5.6 5.6l1-1",
  eye: `M2.5 12S6 6 12 6s9.5 6 9.5 6-3.5 6-9.5 6-9.5-6-9.5-6z${circle(12, 12, 2.75)}`,
  chat: "M5 5h14a1.5 1.5 0 0 1 1.5 1.5v9A1.5 1.5 0 0 1 19 17h-7.5L7 20.5V17H5a1.5 1.5 0 0 1-1.5-1.5v-9A1.5 1.5 0 0 1 5 5z",
  plug: "M9 3.5v5M15 3.5v5M6.5 8.5h11v3a5.5 5.5 0 0 1-11 0zM12 17v3.5",
  keyboard: `${box(2.5, 6, 19, 12)}M8.5 14.5h7${dot(6.5, 10)}${dot(10.2, 10)}${dot(13.8, 10)}${dot(17.5, 10)}`,
  sliders: `M4 8h7M15 8h5M4 16h3M11 16h9${circle(13, 8, 2)}${circle(9, 16, 2)}`,
} as const;

export type IconName = keyof typeof ICON_PATHS;

const FILLED_ICONS: ReadonlySet<IconName> = new Set(["stop", "play"]);
const DOTTED_ICONS: ReadonlySet<IconName> = new Set(["dots"]);

export interface IconProps {
  name: IconName;
  /** Width and height in pixels; 18 by default. */
  size?: number;
  className?: string | undefined;
}

export const Icon = memo(function Icon({ name, size = 18, className }: IconProps) {
  return (
    <svg
      className={className}
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill={FILLED_ICONS.has(name) ? "currentColor" : "none"}
      stroke="currentColor"
      strokeWidth={DOTTED_ICONS.has(name) ? 3 : 1.7}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={ICON_PATHS[name]} />
    </svg>
  );
});
