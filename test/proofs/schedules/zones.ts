/** Fifty zones: every kind of change of the last decades, from half an hour to a whole day, and zones that never change. */
export const ZONES: readonly string[] = `
  UTC Europe/London Europe/Dublin Europe/Lisbon Europe/Berlin Europe/Paris Europe/Athens Europe/Istanbul Europe/Moscow
  Europe/Volgograd Atlantic/Azores Atlantic/Reykjavik Africa/Casablanca Africa/Cairo Africa/Johannesburg Africa/Juba
  Africa/Sao_Tome Asia/Jerusalem Asia/Gaza Asia/Beirut Asia/Damascus Asia/Tehran Asia/Kabul Asia/Kolkata Asia/Kathmandu
  Asia/Pyongyang Asia/Tokyo Asia/Shanghai Asia/Ulaanbaatar Asia/Kamchatka Australia/Sydney Australia/Lord_Howe
  Australia/Adelaide Australia/Perth Pacific/Auckland Pacific/Chatham Pacific/Apia Pacific/Norfolk Pacific/Fiji
  Pacific/Honolulu America/New_York America/Chicago America/Phoenix America/St_Johns America/Sao_Paulo America/Santiago
  America/Caracas America/Havana America/Mexico_City America/Nuuk
`
  .trim()
  .split(/\s+/);
