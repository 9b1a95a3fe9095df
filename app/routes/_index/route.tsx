export default function Landing() {
  return <h1>The Golden Path</h1>;
}
