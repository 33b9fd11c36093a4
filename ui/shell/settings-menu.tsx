// What can be set in the page: colours, the token, and which keys there are.
import { Menu, toast, type IconName, type MenuItem } from "../kit/index.ts";
import { chooseTheme, THEMES, useTheme, type Theme } from "./theme.ts";
import { useToken } from "../data/hooks.ts";
import { askForToken } from "./token.ts";

const LOOKS: Record<Theme, { label: string; icon: IconName }> = {
  system: { label: "Colours of the system", icon: "monitor" },
  light: { label: "Light", icon: "sun" },
  dark: { label: "Dark", icon: "moon" },
};

export function SettingsMenu({ showKeys }: { showKeys: () => void }) {
  const theme = useTheme();
  const token = useToken();
  const items: MenuItem[] = THEMES.map((each) => ({
    label: LOOKS[each].label,
    icon: LOOKS[each].icon,
    checked: each === theme,
    onSelect: () => chooseTheme(each),
  }));
  items.push({ label: "Keys", icon: "keyboard", separated: true, onSelect: showKeys });
  if (token.isKept) {
    items.push({
      label: "Forget the token",
      icon: "key",
      danger: true,
      onSelect: () => {
        token.forget();
        toast("The token was forgotten");
      },
    });
  } else {
    items.push({ label: "Use a token…", icon: "key", onSelect: askForToken });
  }
  return <Menu label="Settings" icon="sliders" items={items} />;
}
