const SOON_MS = 500;

/** Does it when nothing more has been heard for a while: what is heard meanwhile begins the while anew, and `end` ends it. */
export function whenStill(what, ms = SOON_MS) {
  let timer;
  const end = () => clearTimeout(timer);
  const heard = () => {
    end();
    timer = setTimeout(what, ms);
  };
  return { heard, end };
}
