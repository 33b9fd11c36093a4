// A value as it is by the time that somebody looks, for what goes on after the component was drawn.
import { type RefObject, useEffect, useRef } from "react";

export function useLatest<Value>(value: Value): RefObject<Value> {
  const latest = useRef(value);
  useEffect(() => {
    latest.current = value;
  }, [value]);
  return latest;
}
