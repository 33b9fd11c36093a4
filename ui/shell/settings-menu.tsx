// Shows the settings menu: theme, keyboard shortcuts and token.
import { Menu, toast, type IconName, type MenuItem } from "../kit/index.ts";
import { chooseTheme, THEMES, useTheme, type Theme } from "./theme.ts";
import { useToken } from "../data/hooks.ts";
import { openTokenPrompt } from "./token-prompt.ts";

const THEME_LABELS: Record<Theme, { label: string; icon: IconName }> = {
  system: { label: "System colors", icon: "monitor" },
  light: { label: "Light", icon: "sun" },
  dark: { label: "Dark", icon: "moon" },
};

export function SettingsMenu({ showKeys }: { showKeys: () => void }) {
  const theme = useTheme();
  const token = useToken();
  const items: MenuItem[] = THEMES.map((each) => ({
    label: THEME_LABELS[each].label,
    icon: THEME_LABELS[each].icon,
    checked: each === theme,
    onSelect: () => chooseTheme(each),
  }));
  items.push({ label: "Keyboard shortcuts", icon: "keyboard", separated: true, onSelect: showKeys });
  if (token.hasToken) {
    items.push({
      label: "Remove the token",
      icon: "key",
      danger: true,
      onSelect: () => {
        token.clearToken();
        toast("The token was removed");
      },
    });
  } else {
    items.push({ label: "Use a token…", icon: "key", onSelect: openTokenPrompt });
  }
  return <Menu label="Settings" icon="sliders" items={items} />;
}
